import type { RunValues } from '../../base/options/values/run-values.ts';
import type { EarlierFigures } from '../drift/earlier-figures.ts';

/**
 * Reads the summary of the run to compare with.
 *
 * @throws RowcastError as `readEarlierSummary`
 */
export async function earlierOf({
  compare,
  report,
}: Pick<RunValues, 'compare' | 'report'>): Promise<EarlierFigures | undefined> {
  if (compare === undefined) return undefined;
  // Loaded only when it is needed.
  const { readEarlierSummary } = await import('./earlier-summary.ts');
  return readEarlierSummary(compare, report);
}
