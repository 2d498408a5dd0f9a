import { readFile } from 'node:fs/promises';
import type { Attempt } from '../attempt.ts';
import { readCheckpoint } from './checkpoint.ts';

/**
 * The process that wrote the checkpoint of an unfinished run; undefined if there is none. A checkpoint that cannot be
 * read is reported by the run itself.
 */
export async function savedAttempt(path: string): Promise<Attempt | undefined> {
  try {
    const { state, attempt } = readCheckpoint(await readFile(path, 'utf8'), path);
    return state === 'running' ? attempt : undefined;
  } catch {
    return undefined;
  }
}
