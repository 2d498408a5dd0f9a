import type { Readable } from 'node:stream';
import type { Summary } from '../runs/summary/summary.ts';
import type { ScoreStreamOptions } from './options/library-options.ts';
import { scoreRun } from './score.ts';
import { ScoredStream } from './streams/scored-stream.ts';

/**
 * Scores a CSV, and returns the scored CSV as a stream, which is written as fast as it is read. It ends when the run has
 * finished, and fails with a RowcastError when the run does: `pipeline` then removes nothing half-written for you, so
 * write to a file with `score` where you can. A stream that is destroyed early stops its run.
 *
 * @returns the stream; its `summary` says what the run came to, and rejects as `score` does
 */
export function scoreStream(options: ScoreStreamOptions): Readable & { summary: Promise<Summary> } {
  return new ScoredStream(({ target, destroyed }) =>
    scoreRun('scoreStream', options, control => {
      const abandon = (): void => control.abandon(destroyed.reason);
      if (destroyed.aborted) abandon();
      else destroyed.addEventListener('abort', abandon);
      return target;
    }),
  );
}
