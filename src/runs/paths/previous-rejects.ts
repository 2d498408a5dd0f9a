import { dirname, resolve } from 'node:path';
import { RowcastError } from '../../errors.ts';
import { diskFiles, type Files } from '../../storage/local/durable-files.ts';
import { lockOf } from '../../storage/local/lock-file.ts';
import { takeLock } from '../../storage/local/output-lock.ts';
import { partialOf } from '../../storage/target.ts';
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { type CommittedExtent, verifyCommitted } from '../checkpoint/verify-committed.ts';
import { runFilesOf } from './run-files.ts';

/** The rejects of an unfinished run, as its checkpoint has them. */
export interface PreviousRejects {
  /** Where they go when the run finishes. */
  path: string;
  committed: CommittedExtent;
}

/**
 * Where an unfinished run of an output has its rejects. A rejects file that was named may be another run's by now: only
 * what a checkpoint, or the lock of a dead process, says of it is a reason to write to its partial file.
 *
 * @returns undefined where there is no checkpoint, or none that can be read
 */
export async function previousRejectsOf(output: string): Promise<PreviousRejects | undefined> {
  const { checkpoint } = runFilesOf(output);
  const text = await diskFiles.read(checkpoint);
  const saved = text && readOrNothing(text.toString(), checkpoint);
  if (saved === undefined) return undefined;
  const place = saved.fingerprint.options[REJECTS_OPTION];
  const path = place === undefined ? runFilesOf(output).rejects : resolve(dirname(output), JSON.parse(place));
  return { path, committed: saved.rejects };
}

function readOrNothing(text: string, file: string): Checkpoint | undefined {
  try {
    return readCheckpoint(text, file);
  } catch {
    return undefined; // reported where the run is to be resumed
  }
}

/** Whether an unfinished run of this output needs the partial file of these rejects to resume. */
export async function isNeededBy(output: string, rejects: string): Promise<boolean> {
  const former = await previousRejectsOf(output);
  return former !== undefined && former.committed.bytes > 0 && isSamePath(former.path, rejects);
}

/**
 * Removes the partial rejects of a run that is given up for one with other rejects. They stay where they are no longer
 * what it wrote, or where another run writes now.
 *
 * @param output that of both runs, whose lock is held
 */
export async function removePreviousRejects(
  files: Files,
  output: string,
  { path, committed: written }: PreviousRejects,
): Promise<void> {
  const lock = await takeLock(lockOf(path), path).catch(error => {
    // The folder may have gone, too.
    if (!(error instanceof RowcastError)) throw error;
  });
  if (lock === undefined) return;
  try {
    const partial = partialOf(path);
    const isOfDead = lock.formerOutput !== undefined && isSamePath(lock.formerOutput, output);
    const isUnchanged = written.bytes > 0 && (await isUnchangedSince(files, partial, written));
    if (isOfDead || isUnchanged) await files.remove(partial);
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
