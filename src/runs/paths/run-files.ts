import { dirname } from 'node:path';
import type { Files } from '../../storage/durable-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { partialOf, siblingPath } from '../../storage/local/sibling-path.ts';
import { type CommittedExtent, verifyWhole } from '../checkpoint/verify-committed.ts';
import { isRejectsFile } from './leftovers.ts';

/** The files of a run: its output, and those next to it until it ends. */
export interface RunFiles {
  output: string;
  partial: string;
  rejects: string;
  /** Whether the rejects file has its default path; then it is only created if there are rejects. */
  hasDefaultRejects: boolean;
  rejectsPartial: string;
  /** The rows that `repair` put into their places, as they were rejected. */
  repaired: string;
  repairedPartial: string;
  checkpoint: string;
  /** The next checkpoint, before it replaces the current one. */
  newCheckpoint: string;
  /** An unfinished run that `--restart-if-changed` has set aside. */
  oldPartial: string;
  oldCheckpoint: string;
  lock: string;
}

/** @param rejects path of the rejects file; by default next to the output */
export function runFilesOf(output: string, rejects?: string): RunFiles {
  const rejectsFile = rejects ?? siblingPath(output, '.rejects');
  const repaired = siblingPath(output, '.repaired', '.partial'.length);
  const checkpoint = siblingPath(output, '.checkpoint', '.new'.length);
  return {
    output,
    partial: partialOf(output),
    rejects: rejectsFile,
    hasDefaultRejects: rejects === undefined,
    rejectsPartial: partialOf(rejectsFile),
    repaired,
    repairedPartial: partialOf(repaired),
    checkpoint,
    newCheckpoint: `${checkpoint}.new`,
    oldPartial: siblingPath(output, '.partial.old'),
    oldCheckpoint: siblingPath(output, '.checkpoint.old'),
    lock: lockOf(output),
  };
}

const NOTHING = { bytes: 0, tail: '' };

/** What a complete checkpoint says about the files that are renamed. */
export interface CompleteFiles {
  output: CommittedExtent;
  rejects: CommittedExtent;
  /** The rows that were repaired, as they were rejected; only a repair has them. */
  repaired?: CommittedExtent;
}

/**
 * The last steps of a run whose checkpoint is complete. Any of them may have been done before the process was killed.
 * The checkpoint is removed last, so that the next run does the remaining steps.
 *
 * @param onRenamed called before the checkpoint is removed
 * @throws RowcastError `output_lost` if neither the partial nor the final file is complete; `partial_damaged`
 */
export async function finishRenames(
  files: Files,
  paths: RunFiles,
  { output, rejects, repaired = NOTHING }: CompleteFiles,
  onRenamed?: () => Promise<unknown>,
): Promise<void> {
  for (const { partial, final, written } of [
    { partial: paths.partial, final: paths.output, written: output },
    { partial: paths.rejectsPartial, final: paths.rejects, written: rejects },
    { partial: paths.repairedPartial, final: paths.repaired, written: repaired },
  ]) {
    const file = (await files.size(partial)) === undefined ? final : partial;
    await verifyWhole(files, file, written, partial);
  }
  if (rejects.bytes > 0) await files.rename(paths.rejectsPartial, paths.rejects);
  // Rejects of an earlier run must not be mistaken for those of this one.
  else if (paths.hasDefaultRejects && (await isRejectsFile(paths.rejects))) await files.remove(paths.rejects);
  if (repaired.bytes > 0) await files.rename(paths.repairedPartial, paths.repaired);
  else if (await isRejectsFile(paths.repaired)) await files.remove(paths.repaired);
  await files.rename(paths.partial, paths.output);
  const folders = new Set([dirname(paths.rejects), dirname(paths.output)]);
  for (const folder of folders) await files.syncFolder(folder);
  await onRenamed?.();
  await files.remove(paths.checkpoint);
  // Otherwise the complete checkpoint could reappear after a power failure and be applied to the next run.
  await files.syncFolder(dirname(paths.output));
}
