import { resolve } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { removeDeadLocks } from '../../storage/local/locks/output-lock.ts';
import { readCheckpoint } from '../checkpoint/checkpoint.ts';
import { finishKilledRepair } from '../finish-repair.ts';
import { previousRejectsOf } from '../paths/previous-rejects.ts';
import { publish } from '../paths/publish.ts';
import { runFilesOf, runOutputsOf } from '../paths/run-files.ts';
import { noRuns } from './status.ts';

/**
 * Discards the unfinished run of an output: what it has written, and its checkpoint. An output that is there stays; if
 * it has only to be published, by a run or by a repair, that is done instead.
 *
 * @param among backends, if not the default ones
 * @returns whether something was discarded; if not, the output is finished now
 * @throws RowcastError `locked`, `no_output`, `bad_checkpoint`, `unfinished`
 */
export async function discardUnfinished(name: string, among?: Backends): Promise<boolean> {
  const { path, durable: output } = await resolveTarget(name, false, among);
  if (output === undefined) throw noRuns(name);
  const { checkpoint } = output;
  if (path !== undefined && (await finishKilledRepair(path))) return false;
  const lock = await output.lock();
  try {
    const bytes = await checkpoint.read();
    const isPartial = (await output.state()).partialBytes !== undefined;
    if (bytes === undefined && !(isPartial && lock.tookOver)) throw nothing(output, isPartial);
    const saved = bytes && readCheckpoint(bytes, checkpoint.name);
    const own = runOutputsOf(output);
    const rejects = (await previousRejectsOf(output, bytes, among))?.output ?? own.rejects;
    if (saved && saved.state === 'complete') {
      const isDefault = rejects.address === own.rejects.address;
      await publish(runOutputsOf(output, isDefault ? undefined : rejects), saved);
      return false;
    }
    // The checkpoint goes first: it must never refer to bytes that no longer exist.
    await checkpoint.remove();
    if (path !== undefined) await diskFiles.remove(runFilesOf(path).newCheckpoint);
    await output.discard();
    if (path !== undefined) await diskFiles.remove(runFilesOf(path).repairedPartial);
    if (!saved || saved.rejects.bytes > 0) await rejects.discard();
    if (path !== undefined)
      for (const folder of new Set([output.folder, rejects.folder]))
        await removeDeadLocks(folder, resolve(path));
    return true;
  } finally {
    await lock.release();
  }
}

const nothing = (output: DurableOutput, isPartial: boolean): RowcastError =>
  isPartial
    ? new RowcastError('foreign_file', 'the partial file does not belong to an unfinished run', {
        location: { file: output.partialName },
        hint: 'Remove it yourself if nothing needs it.',
      })
    : noUnfinished(output.name);

export const noUnfinished = (file: string): RowcastError =>
  new RowcastError('no_output', 'there is no unfinished run', {
    location: { file },
    hint: 'Check the path.',
  });
