import { RowcastError } from '../../base/errors.ts';
import { resolveTarget } from '../../storage/backends.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { takeLock } from '../../storage/local/locks/output-lock.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import { readCheckpoint } from '../checkpoint/checkpoint.ts';
import { finishKilledRepair } from '../finish-repair.ts';
import { previousRejectsOf } from '../paths/previous-rejects.ts';
import { finishRenames, runFilesOf } from '../paths/run-files.ts';
import { noRuns } from './status.ts';

/**
 * Discards the unfinished run of an output: what it has written, and its checkpoint. An output that is there stays; if
 * only renames are left, of a run or of a repair, they are done instead.
 *
 * @returns whether something was discarded; if not, the output is finished now
 * @throws RowcastError `locked`, `no_output`, `bad_checkpoint`, `unfinished`
 */
export async function discardUnfinished(output: string): Promise<boolean> {
  const { path } = await resolveTarget(output);
  if (path === undefined) throw noRuns(output);
  const paths = runFilesOf(path);
  if (await finishKilledRepair(path)) return false;
  const lock = await takeLock(paths.lock, output);
  try {
    const text = await diskFiles.read(paths.checkpoint);
    const isPartial = (await diskFiles.size(paths.partial)) !== undefined;
    if (text === undefined && !(isPartial && lock.tookOver)) throw nothing(output, isPartial);
    const saved = text && readCheckpoint(text.toString(), paths.checkpoint);
    const rejects = (await previousRejectsOf(path))?.path ?? paths.rejects;
    if (saved && saved.state === 'complete') {
      await finishRenames(
        diskFiles,
        runFilesOf(path, rejects === paths.rejects ? undefined : rejects),
        saved,
      );
      return false;
    }
    // The checkpoint goes first: it must never refer to a file that no longer exists.
    const ours = !saved || saved.rejects.bytes > 0 ? [partialOf(rejects)] : [];
    for (const file of [
      ...[paths.checkpoint, paths.newCheckpoint, paths.partial, paths.repairedPartial],
      ...ours,
    ])
      await diskFiles.remove(file);
    return true;
  } finally {
    await lock.release();
  }
}

const nothing = (file: string, isPartial: boolean): RowcastError =>
  isPartial
    ? new RowcastError('foreign_file', 'the partial file does not belong to an unfinished run', {
        location: { file: partialOf(file) },
        hint: 'Remove it yourself if nothing needs it.',
      })
    : new RowcastError('no_output', 'there is no unfinished run', {
        location: { file },
        hint: 'Check the path.',
      });
