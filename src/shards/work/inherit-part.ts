import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { type Checkpoint, readCheckpoint } from '../../runs/checkpoint/checkpoint.ts';
import { checkpointBytes } from '../../runs/checkpoint/checkpoint-bytes.ts';
import { type RunFiles, runFilesOf, runOutputsOf } from '../../runs/paths/run-files.ts';
import type { Backends } from '../../storage/backends.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { fileAccessOf } from '../../storage/local/access.ts';
import { replaceFile } from '../../storage/local/atomic-write.ts';
import { verifyCommitted, verifyWhole } from '../../storage/local/verify-committed.ts';
import { unreadable } from '../../storage/source.ts';
import { unwritable } from '../../storage/target.ts';
import { isStored, partOutput } from '../folder/part-output.ts';

/**
 * The checkpoint of an attempt that ended early; undefined if there is none that can be resumed. If it is damaged, or
 * what it covers, the shard is scored from where an earlier attempt ended, or from its first row.
 */
export const checkpointOf = (part: string, among: Backends | undefined): Promise<Checkpoint | undefined> =>
  isStored(part) ? storedCheckpointOf(part, among) : localCheckpointOf(part);

async function localCheckpointOf(part: string): Promise<Checkpoint | undefined> {
  const files = runFilesOf(part);
  try {
    const text = await diskFiles.read(files.checkpoint);
    if (text === undefined) return undefined;
    const checkpoint = readCheckpoint(text, files.checkpoint);
    await verifyPart(files, checkpoint);
    return checkpoint;
  } catch (error) {
    if (error instanceof RowcastError) return undefined;
    throw unreadable(files.checkpoint, error as Error, 'stopped'); // errors of fs
  }
}

async function storedCheckpointOf(
  part: string,
  among: Backends | undefined,
): Promise<Checkpoint | undefined> {
  const { output, rejects } = runOutputsOf(await partOutput(part, among));
  try {
    const bytes = await output.checkpoint.read();
    if (bytes === undefined) return undefined;
    const checkpoint = readCheckpoint(bytes, output.checkpoint.name);
    if (checkpoint.state === 'complete' && (await output.isPublished(checkpoint.output))) return checkpoint;
    await output.verify(checkpoint.output);
    await rejects.verify(checkpoint.rejects);
    return checkpoint;
  } catch (error) {
    if (error instanceof RowcastError && !error.retryable) return undefined;
    throw error;
  }
}

/** @throws RowcastError if a part does not have what its checkpoint covers */
async function verifyPart(files: RunFiles, { state, output, rejects }: Checkpoint): Promise<void> {
  const verify = state === 'complete' ? verifyWhole : verifyCommitted;
  // An attempt that was killed at its end may have renamed them.
  for (const { partial, final, written } of [
    { partial: files.partial, final: files.output, written: output },
    { partial: files.rejectsPartial, final: files.rejects, written: rejects },
  ])
    await verify(diskFiles, (await diskFiles.size(partial)) === undefined ? final : partial, written);
}

/**
 * Copies what an earlier attempt has committed, so that another one goes on there. The earlier one may still write
 * after its checkpoint; what the checkpoint covers does not change.
 *
 * @returns whether there was anything to go on with
 */
export async function inheritPart(from: string, to: string, isPrivate: boolean): Promise<boolean> {
  const checkpoint = await localCheckpointOf(from);
  if (checkpoint === undefined) return false;
  const [old, own] = [runFilesOf(from), runFilesOf(to)];
  try {
    if (checkpoint.output.bytes > 0) await copyFirst([old.partial, old.output], own.partial, isPrivate);
    if (checkpoint.rejects.bytes > 0)
      await copyFirst([old.rejectsPartial, old.rejects], own.rejectsPartial, isPrivate);
    const access = fileAccessOf(own.output, isPrivate);
    const bytes = checkpointBytes(checkpoint);
    await replaceFile(diskFiles, own.checkpoint, bytes, { next: own.newCheckpoint, access });
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
