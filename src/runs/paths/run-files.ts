import { dirname } from 'node:path';
import { RowcastError } from '../../errors.ts';
import type { Files } from '../../storage/local/durable-files.ts';
import { lockOf } from '../../storage/local/lock-file.ts';
import { beside } from '../../storage/local/sibling-path.ts';
import { partialOf } from '../../storage/target.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { verifyCommitted } from '../checkpoint/verify-committed.ts';
import { isRejectsFile } from './leftovers.ts';

/** The files that a run keeps beside its output until its end. */
export interface RunFiles {
  output: string;
  partial: string;
  rejects: string;
  /** Whether the rejects file is the one that every run has: without rejects there is none. */
  hasDefaultRejects: boolean;
  rejectsPartial: string;
  checkpoint: string;
  /** The next checkpoint, until it replaces the former one. */
  newCheckpoint: string;
  lock: string;
}

/** @param rejects where the rejects go; by default beside the output */
export function runFilesOf(output: string, rejects?: string): RunFiles {
  const rejectsFile = rejects ?? beside(output, '.rejects.csv');
  const checkpoint = beside(output, '.checkpoint', '.new'.length);
  return {
    output,
    partial: partialOf(output),
    rejects: rejectsFile,
    hasDefaultRejects: rejects === undefined,
    rejectsPartial: partialOf(rejectsFile),
    checkpoint,
    newCheckpoint: `${checkpoint}.new`,
    lock: lockOf(output),
  };
}

/**
 * The last steps of a run whose checkpoint is complete. Each may have been done before the process was killed;
 * the checkpoint goes last, so that what is left is done by the next run.
 *
 * @throws RowcastError `output_lost` when the output is not there, under the one name or the other; `partial_damaged`
 */
export async function finishRenames(
  files: Files,
  paths: RunFiles,
  { output, rejects }: Pick<Checkpoint, 'output' | 'rejects'>,
): Promise<void> {
  for (const { partial, final, written } of [
    { partial: paths.partial, final: paths.output, written: output },
    { partial: paths.rejectsPartial, final: paths.rejects, written: rejects },
  ]) {
    if (written.bytes === 0) continue;
    const file = (await files.size(partial)) === undefined ? final : partial;
    const size = await files.size(file);
    if (size !== written.bytes)
      throw new RowcastError('output_lost', `it held ${written.bytes} bytes, now ${size ?? 'it is gone'}`, {
        location: { file: partial },
        hint: 'Something else moved or changed it: give --restart to begin anew.',
      });
    await verifyCommitted(files, file, written);
  }
  if (rejects.bytes > 0) await files.rename(paths.rejectsPartial, paths.rejects);
  // The rejects of a former run are not those of this one.
  else if (paths.hasDefaultRejects && (await isRejectsFile(paths.rejects))) await files.remove(paths.rejects);
  await files.rename(paths.partial, paths.output);
  const folders = new Set([dirname(paths.rejects), dirname(paths.output)]);
  for (const folder of folders) await files.syncFolder(folder);
  await files.remove(paths.checkpoint);
  // A complete checkpoint that came back after a power failure would be taken for the next run's.
  await files.syncFolder(dirname(paths.output));
}
