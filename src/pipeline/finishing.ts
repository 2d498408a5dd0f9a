import { dirname } from 'node:path';
import type { Files } from '../io/files.ts';
import { partialOf } from '../io/target.ts';

/** The files that a run keeps beside its output until its end. */
export interface RunFiles {
  output: string;
  partial: string;
  rejects: string;
  rejectsPartial: string;
  checkpoint: string;
  lock: string;
}

/** @param rejects where the rejects go; by default beside the output */
export function runFilesOf(output: string, rejects = `${output}.rejects.csv`): RunFiles {
  return {
    output,
    partial: partialOf(output),
    rejects,
    rejectsPartial: partialOf(rejects),
    checkpoint: `${output}.checkpoint`,
    lock: `${output}.lock`,
  };
}

/**
 * The last steps of a run whose checkpoint is complete. Each may have been done before the process was killed;
 * the checkpoint goes last, so that what is left is done by the next run.
 *
 * @param hasRejects where there are none, a former run's rejects file would lie
 */
export async function finishRenames(files: Files, paths: RunFiles, hasRejects: boolean): Promise<void> {
  if (hasRejects) await files.rename(paths.rejectsPartial, paths.rejects);
  else await files.remove(paths.rejects);
  await files.rename(paths.partial, paths.output);
  const folders = new Set([dirname(paths.rejects), dirname(paths.output)]);
  for (const folder of folders) await files.syncFolder(folder);
  await files.remove(paths.checkpoint);
}
