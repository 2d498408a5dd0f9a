import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import type { Client } from '../../../src/client/client.ts';
import { httpScorer } from '../../../src/client/scorer/http-scorer.ts';
import type { RunObserver } from '../../../src/runs/observer.ts';
import { lockRunPaths } from '../../../src/runs/paths/lock-paths.ts';
import { scoreTo } from '../../../src/runs/score.ts';
import type { RunResult } from '../../../src/runs/score-rows.ts';
import type { Scorer } from '../../../src/scoring/scorer.ts';
import type { Files } from '../../../src/storage/local/durable-files.ts';

/**
 * Scores a CSV without a record of the run.
 *
 * @param service is not closed
 * @param files writes the output's files
 * @returns undefined if the output exists and is to be skipped
 */
export async function score(
  options: RunValues,
  service: Client | Scorer,
  observer: RunObserver = {},
  files?: Files,
): Promise<RunResult | undefined> {
  const locked = await lockRunPaths(options);
  try {
    return await scoreTo(locked, options, 'open' in service ? service : httpScorer(service), observer, {
      files,
    });
  } finally {
    await locked.release();
  }
}
