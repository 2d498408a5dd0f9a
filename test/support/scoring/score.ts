import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { httpScorer } from '../../../src/client/scorer/http-scorer.ts';
import type { ServiceClient } from '../../../src/client/service-client.ts';
import { executeRun } from '../../../src/runs/execute-run.ts';
import type { RunObserver, RunResult } from '../../../src/runs/observer.ts';
import { plainNames, type Run } from '../../../src/runs/run.ts';
import { RunControl } from '../../../src/runs/run-control.ts';
import type { Scorer } from '../../../src/scoring/scorer.ts';
import type { Files } from '../../../src/storage/durable-files.ts';
import { localFiles } from '../../../src/storage/local/local-files.ts';

type More = Partial<Pick<Run, 'backends' | 'formats' | 'openInput' | 'paths' | 'shard' | 'windowBytes'>> & {
  /** Writes the files of the output. */
  files?: Files;
};

/**
 * Scores a CSV.
 *
 * @param service is not closed
 * @param watch an observer, and the signal that stops the run
 * @param more what else the run has
 * @returns undefined if the output exists and is to be skipped
 */
export async function score(
  options: RunValues,
  service: ServiceClient | Scorer,
  { stop, ...observer }: RunObserver & { stop?: AbortSignal } = {},
  { files, ...more }: More = {},
): Promise<RunResult | undefined> {
  let result: RunResult | undefined;
  const keep: RunObserver = {
    scored(_, scored) {
      result = scored;
    },
  };
  const scorer = 'open' in service ? service : httpScorer(service);
  const { input, output, report } = options;
  const control = new RunControl(stop);
  await executeRun({
    names: plainNames({ input, output, report }),
    values: options,
    paths: options,
    openScorer: async () => ({ scorer, close: async () => {} }),
    observers: [observer, keep],
    control,
    ...(files && { backends: new Map([[undefined, localFiles(files)]]) }),
    ...more,
  }).finally(() => control.end());
  return result;
}
