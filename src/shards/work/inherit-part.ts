import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { type Checkpoint, readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import { checkpointBytes } from '../../runs/checkpoint/checkpoint-bytes.ts';
import { type RunFiles, runFilesOf, runOutputsOf } from '../../runs/paths/run-files.ts';
import type { Backends } from '../../storage/backends.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { fileAccessOf } from '../../storage/local/access.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';
import { unreadable } from '../../storage/source.ts';
import { unwritable } from '../../storage/target.ts';
import { partOutput } from '../folder/part-output.ts';

/**
 * The checkpoint of an attempt that ended early; undefined if there is none that can be resumed. If it is damaged, or
 * what it covers, the shard is scored from where an earlier attempt ended, or from its first row.
 */
export async function checkpointOf(
  part: string,
  among: Backends | undefined,
): Promise<Checkpoint | undefined> {
  const { output, rejects } = runOutputsOf(await partOutput(part, among));
  try {
    const bytes = await output.checkpoint.read();
    if (bytes === undefined) return undefined;
    const checkpoint = readCheckpoint(bytes, output.checkpoint.name);
    const isComplete = checkpoint.state === 'complete';
    for (const [place, written] of [
      [output, checkpoint.output],
      [rejects, checkpoint.rejects],
    ] as const) {
      // An attempt that was killed at its end may have published them.
      if (!isComplete || !(await place.isPublished(written))) await place.verify(written);
      if (isComplete) await place.verifyWhole(written);
    }
    return checkpoint;
  } catch (error) {
    if (!(error instanceof RowcastError)) throw unreadable(output.checkpoint.name, error as Error, 'stopped'); // errors of fs
    if (error.retryable) throw error;
    return undefined;
  }
}

/**
 * Copies what an earlier attempt has committed, so that another one goes on there. The earlier one may still write
 * after its checkpoint; what the checkpoint covers does not change.
 *
 * @returns whether there was anything to go on with
 */
export async function inheritPart(from: string, to: string, isPrivate: boolean): Promise<boolean> {
  const checkpoint = await checkpointOf(from, undefined);
  if (checkpoint === undefined) return false;
  const [old, own] = [runFilesOf(from), runFilesOf(to)];
  try {
    if (checkpoint.output.bytes > 0) await copyFirst([old.partial, old.output], own.partial, isPrivate);
    if (checkpoint.rejects.bytes > 0)
      await copyFirst([old.rejectsPartial, old.rejects], own.rejectsPartial, isPrivate);
    await new LocalOutput(to, { isPrivate }).checkpoint.replace(checkpointBytes(checkpoint));
    return true;
  } catch {
    // The part has been removed in the meantime, or the disk is full, which the next write reports.
    await removePart(own);
    return false;
  }
}

/** Removes everything that an attempt has written to files. */
export async function removePart(part: string | RunFiles): Promise<void> {
  const files = typeof part === 'string' ? runFilesOf(part) : part;
  const { checkpoint, newCheckpoint, partial, rejectsPartial, output, rejects } = files;
  for (const file of [checkpoint, newCheckpoint, partial, rejectsPartial, rejects, output])
    await diskFiles.remove(file).catch(cause => {
      throw unwritable(file, cause, 'stopped');
    });
}

/** Copies the first of these files that exists: an attempt that was killed at its end may have renamed them. */
async function copyFirst(files: readonly string[], to: string, isPrivate: boolean): Promise<void> {
  for (const [i, file] of files.entries())
    try {
      await copyFile(file, to, constants.COPYFILE_FICLONE);
      // A checkpoint covers durable bytes only.
      const copy = await diskFiles.open(to, fileAccessOf(to, isPrivate));
      await copy.sync().finally(() => copy.close());
      return;
    } catch (cause) {
      if (i === files.length - 1) throw cause;
    }
}
