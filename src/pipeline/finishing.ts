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

export function runFilesOf(output: string): RunFiles {
  const rejects = `${output}.rejects.csv`;
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
 */
export async function finishRenames(files: Files, paths: RunFiles): Promise<void> {
  await files.rename(paths.rejectsPartial, paths.rejects);
  await files.rename(paths.partial, paths.output);
  await files.syncFolder(dirname(paths.output));
  await files.remove(paths.checkpoint);
}
