import type { DurableOutput } from '../../storage/durable-output.ts';
import type { Attempt } from '../attempt.ts';
import { readCheckpoint } from './checkpoint.ts';

/**
 * The process that wrote the checkpoint of an unfinished run; undefined if there is none. A checkpoint that cannot be
 * read is reported by the run itself.
 */
export async function savedAttempt({ checkpoint }: DurableOutput): Promise<Attempt | undefined> {
  try {
    const bytes = await checkpoint.read();
    if (bytes === undefined) return undefined;
    const { state, attempt } = readCheckpoint(bytes, checkpoint.name);
    return state === 'running' ? attempt : undefined;
  } catch {
    return undefined;
  }
}
