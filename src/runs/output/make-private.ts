import type { Files } from '../../storage/durable-files.ts';
import { giveAccess, privateAccess } from '../../storage/local/access.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { RunFiles } from '../paths/run-files.ts';

/** Lets only their owner use the files of a run that has only its renames left, some of which may have been done. */
export async function makePrivate(
  files: Files,
  paths: RunFiles,
  { output, rejects, repaired }: Pick<Checkpoint, 'output' | 'rejects' | 'repaired'>,
): Promise<void> {
  for (const { partial, final, written } of [
    { partial: paths.partial, final: paths.output, written: output },
    { partial: paths.rejectsPartial, final: paths.rejects, written: rejects },
    { partial: paths.repairedPartial, final: paths.repaired, written: repaired },
  ]) {
    if (written === undefined || written.bytes === 0) continue;
    for (const path of [partial, final]) {
      if ((await files.size(path)) === undefined) continue;
      giveAccess(path, privateAccess);
      break;
    }
  }
}
