import type { Files } from '../../storage/durable-files.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { takeLock } from '../../storage/local/locks/output-lock.ts';
import { partialOf, siblingPath } from '../../storage/local/sibling-path.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { verifyCommitted } from '../checkpoint/verify-committed.ts';

/** Where the rejects of an output were by default before the release of 0.1.0: a pattern such as `*.csv` matched them too. */
export const formerRejectsOf = (output: string): string => siblingPath(output, '.rejects.csv');

/**
 * Moves the rejects of an unfinished run from their former default path to the current one, so that it can be resumed.
 * Files that are not exactly those of its checkpoint are left alone.
 *
 * @param output its lock is held
 * @param rejects the default path now
 */
export async function moveFormerRejects(
  files: Files,
  { output, rejects }: { output: string; rejects: string },
  { rejects: committed }: Pick<Checkpoint, 'rejects'>,
): Promise<void> {
  if (committed.bytes === 0) return;
  for (const current of [partialOf(rejects), rejects]) if ((await files.size(current)) !== undefined) return;
  const path = formerRejectsOf(output);
  for (const [former, current] of [
    [partialOf(path), partialOf(rejects)],
    [path, rejects], // killed between its renames
  ] as const) {
    const isThere = await verifyCommitted(files, former, committed).catch(() => undefined);
    if (isThere === undefined) continue;
    const lock = await takeLock(lockOf(path), path);
    try {
      await files.rename(former, current);
    } finally {
      await lock.release();
    }
    return;
  }
}
