import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { type Checkpoint, readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import { type RunFiles, runFilesOf } from '../../runs/paths/run-files.ts';
import { accessOf } from '../../storage/local/access.ts';
import { replaceFile } from '../../storage/local/atomic-write.ts';
import { diskFiles } from '../../storage/local/durable-files.ts';
import { unreadable } from '../../storage/source.ts';
import { unwritable } from '../../storage/target.ts';

/** The checkpoint of an attempt that ended early; undefined if there is none that can be resumed. */
export async function checkpointOf(part: string): Promise<Checkpoint | undefined> {
  const file = runFilesOf(part).checkpoint;
  const text = await diskFiles.read(file).catch(cause => {
    throw unreadable(file, cause, 'stopped');
  });
  if (text === undefined) return undefined;
  try {
    return readCheckpoint(text.toString(), file);
  } catch {
    return undefined; // the shard is scored from its first row
  }
}

/**
 * Copies what an earlier attempt has committed, so that another one goes on there. The earlier one may still write after
 * its checkpoint; what the checkpoint covers does not change.
 *
 * @returns whether there was anything; resuming checks that it is whole
 */
export async function inheritPart(from: string, to: string): Promise<boolean> {
  const checkpoint = await checkpointOf(from);
  if (checkpoint === undefined) return false;
  const [old, own] = [runFilesOf(from), runFilesOf(to)];
  try {
    if (checkpoint.output.bytes > 0) await copyFirst([old.partial, old.output], own.partial);
    if (checkpoint.rejects.bytes > 0) await copyFirst([old.rejectsPartial, old.rejects], own.rejectsPartial);
    const text = JSON.stringify(checkpoint);
    const access = accessOf(own.output, false);
    await replaceFile(diskFiles, own.checkpoint, Buffer.from(text), { next: own.newCheckpoint, access });
    return true;
  } catch {
    // It has been removed in the meantime, or the disk is full, which the next write reports.
    await removePart(own);
    return false;
  }
}

/** Removes everything that an attempt has written. */
export async function removePart(part: string | RunFiles): Promise<void> {
  const files = typeof part === 'string' ? runFilesOf(part) : part;
  const { checkpoint, newCheckpoint, partial, rejectsPartial, output, rejects } = files;
  for (const file of [checkpoint, newCheckpoint, partial, rejectsPartial, rejects, output])
    await diskFiles.remove(file).catch(cause => {
      throw unwritable(file, cause, 'stopped');
    });
}

/** Copies the first of these files that exists: an attempt that was killed at its end may have renamed them. */
async function copyFirst(files: readonly string[], to: string): Promise<void> {
  for (const [i, file] of files.entries())
    try {
      await copyFile(file, to, constants.COPYFILE_FICLONE);
      // A checkpoint covers durable bytes only.
      const copy = await diskFiles.open(to, accessOf(to, false));
      await copy.sync().finally(() => copy.close());
      return;
    } catch (cause) {
      if (i === files.length - 1) throw cause;
    }
}
