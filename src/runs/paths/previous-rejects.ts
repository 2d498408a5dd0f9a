import { dirname, resolve } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { diskFiles, type Files } from '../../storage/durable-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { takeLock } from '../../storage/local/locks/output-lock.ts';
import { partialOf, siblingPath } from '../../storage/local/sibling-path.ts';
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { type CommittedExtent, verifyCommitted } from '../checkpoint/verify-committed.ts';
import { runFilesOf } from './run-files.ts';

/** The rejects of an unfinished run, as recorded in its checkpoint. */
export interface PreviousRejects {
  /** Their final path. */
  path: string;
  committed: CommittedExtent;
}

/**
 * Finds the rejects of an unfinished run of an output. A file given with --rejects may belong to another run by now, so
 * its partial file may be modified only if a checkpoint or the lock of a dead process proves whose it is.
 *
 * @returns undefined without a readable checkpoint
 */
export async function previousRejectsOf(
  output: string,
  checkpoint = runFilesOf(output).checkpoint,
): Promise<PreviousRejects | undefined> {
  const text = await diskFiles.read(checkpoint);
  const saved = text && readOrNothing(text.toString(), checkpoint);
  if (saved === undefined) return undefined;
  const place = saved.fingerprint.options[REJECTS_OPTION];
  const path = place === undefined ? runFilesOf(output).rejects : resolve(dirname(output), JSON.parse(place));
  return { path, committed: saved.rejects };
}

/** Where the partial rejects of a run are kept that was set aside. */
export const oldRejectsPartialOf = (rejects: string): string => siblingPath(rejects, '.partial.old');

/**
 * Removes what was set aside for a run that has finished now. Without a readable checkpoint, the files may be anyone's.
 *
 * @param output its lock is held
 */
export async function removeSetAside(files: Files, output: string): Promise<void> {
  const { oldPartial, oldCheckpoint } = runFilesOf(output);
  const rejects = await previousRejectsOf(output, oldCheckpoint);
  if (rejects === undefined) return;
  await files.remove(oldPartial);
  if (rejects.committed.bytes > 0) await files.remove(oldRejectsPartialOf(rejects.path));
  await files.remove(oldCheckpoint);
}

function readOrNothing(text: string, file: string): Checkpoint | undefined {
  try {
    return readCheckpoint(text, file);
  } catch {
    return undefined; // reported when the run is resumed
  }
}

/** Whether an unfinished run of this output needs the partial file of these rejects to resume. */
export async function isNeededBy(output: string, rejects: string): Promise<boolean> {
  const previous = await previousRejectsOf(output);
  return previous !== undefined && previous.committed.bytes > 0 && isSamePath(previous.path, rejects);
}

/**
 * Removes the partial rejects of a discarded run whose successor uses a different rejects file. They are left alone if
 * they changed, or if another run is writing there.
 *
 * @param output the output of both runs; its lock is held
 */
export async function removePreviousRejects(
  files: Files,
  output: string,
  { path, committed: written }: PreviousRejects,
): Promise<void> {
  const lock = await takeLock(lockOf(path), path).catch(error => {
    // The folder may not exist any more.
    if (!(error instanceof RowcastError)) throw error;
  });
  if (lock === undefined) return;
  try {
    const partial = partialOf(path);
    const isOfDeadProcess = lock.abandonedOutput !== undefined && isSamePath(lock.abandonedOutput, output);
    const isUnchanged = written.bytes > 0 && (await isUnchangedSince(files, partial, written));
    if (isOfDeadProcess || isUnchanged) await files.remove(partial);
  } finally {
    await lock.release();
  }
}

const isUnchangedSince = (files: Files, path: string, written: CommittedExtent): Promise<boolean> =>
  verifyCommitted(files, path, written).then(
    () => true,
    () => false,
  );

export const isSamePath = (a: string, b: string): boolean => resolve(a) === resolve(b);
