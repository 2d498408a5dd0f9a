import { dirname } from 'node:path';
import { type Consequence, RowcastError } from '../errors.ts';
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
 *
 * @param bytes of the whole output, as its checkpoint has it
 * @throws RowcastError `output_lost` when they are not there, under the one name or the other
 */
export async function finishRenames(
  files: Files,
  paths: RunFiles,
  bytes: number,
  consequence: Consequence = 'refused',
): Promise<void> {
  const size = (await files.size(paths.partial)) ?? (await files.size(paths.output));
  if (size !== bytes)
    throw new RowcastError('output_lost', `it held ${bytes} bytes, now ${size ?? 'it is gone'}`, {
      consequence,
      place: { file: paths.partial },
      hint: 'Something else moved or changed it: give --restart to begin anew.',
    });
  await files.rename(paths.rejectsPartial, paths.rejects);
  await files.rename(paths.partial, paths.output);
  await files.syncFolder(dirname(paths.output));
  await files.remove(paths.checkpoint);
  // A complete checkpoint that came back after a power failure would be taken for the next run's.
  await files.syncFolder(dirname(paths.output));
}
