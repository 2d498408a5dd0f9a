import { RowcastError } from '../../base/errors.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { readCheckpoint } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { publishComplete } from '../finish-repair.ts';
import type { RunFiles } from '../paths/run-files.ts';

/**
 * Finishes a run or a repair that was killed while its files took their places.
 *
 * @param rejects path of the rejects file as a fingerprint has it
 * @throws RowcastError `unfinished` if the run was killed earlier
 */
export async function finishKilledRun(paths: RunFiles, rejects: string | undefined): Promise<void> {
  const text = await diskFiles.read(paths.checkpoint);
  if (text === undefined) return;
  const saved = readCheckpoint(text, paths.checkpoint);
  if (saved.state !== 'complete' || saved.fingerprint.options[REJECTS_OPTION] !== rejects)
    throw new RowcastError('unfinished', 'the run that writes this file is not finished', {
      location: { file: paths.output },
      hint: 'Run its command again to finish it, then repair the output.',
    });
  await publishComplete(diskFiles, paths, saved);
}
