import { type DurableOutput, NOTHING_WRITTEN, type StoredExtent } from '../../storage/durable-output.ts';
import { isRejects } from './leftovers.ts';
import type { RunOutputs } from './run-files.ts';

/**
 * The last steps of a run whose checkpoint is complete. Any of them may have been done before the process was killed.
 * The checkpoint is removed last, so that the next run does the remaining steps.
 *
 * @param written what a complete checkpoint says about them; only a repair has repaired rows
 * @param onPublished called before the checkpoint is removed
 * @throws RowcastError `output_lost` if neither the partial nor the final output is complete; `partial_damaged`
 */
export async function publish(
  { output, rejects, hasDefaultRejects, repaired }: RunOutputs,
  written: Record<'output' | 'rejects', StoredExtent> & { repaired?: StoredExtent | undefined },
  onPublished?: () => Promise<unknown>,
): Promise<void> {
  const { repaired: rowsRepaired = NOTHING_WRITTEN } = written;
  await output.verifyWhole(written.output);
  await rejects.verifyWhole(written.rejects);
  await repaired.verifyWhole(rowsRepaired);
  await publishOrRemove(rejects, written.rejects, hasDefaultRejects);
  await publishOrRemove(repaired, rowsRepaired, true);
  await output.publish(written.output);
  const folders = new Map([rejects, output].map(each => [each.folder, each]));
  for (const each of folders.values()) await each.settle();
  await onPublished?.();
  await output.checkpoint.remove();
}

/**
 * @param mayRemove whether the file of an earlier run is removed if this run has none: it would be taken for this run's
 */
async function publishOrRemove(
  output: DurableOutput,
  written: StoredExtent,
  mayRemove: boolean,
): Promise<void> {
  if (written.bytes > 0) await output.publish(written);
  else if (mayRemove && output.remove !== undefined && (await isRejects(output))) await output.remove();
}
