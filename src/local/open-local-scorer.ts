import { availableParallelism } from 'node:os';
import { checkReadable } from '../reports/report-folder.ts';
import { readLocalReport } from '../reports/report-model.ts';
import { explained } from './explained.ts';
import { LocalScorer } from './local-scorer.ts';

export interface LocalScorerOptions {
  /** By default the number of cores. */
  threads?: number | undefined;
  maxRowsPerSecond?: number | undefined;
}

/**
 * A scorer with the reports in a folder.
 *
 * @throws RowcastError `unreadable_home`
 */
export async function openLocalScorer(
  home: string,
  { threads = availableParallelism(), maxRowsPerSecond }: LocalScorerOptions = {},
): Promise<LocalScorer> {
  await checkReadable(home);
  return new LocalScorer({
    threads,
    maxRowsPerSecond,
    load: id => explained(readLocalReport(home, id)),
  });
}
