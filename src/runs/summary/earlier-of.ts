import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { EarlierFigures } from '../drift/earlier-figures.ts';

/**
 * Reads the summary of the run to compare with.
 *
 * @throws RowcastError `usage` for a limit on its changes without it; as `readEarlierSummary`
 */
export async function earlierOf({
  compare,
  maxDrift,
  report,
}: Pick<RunValues, 'compare' | 'maxDrift' | 'report'>): Promise<EarlierFigures | undefined> {
  if (compare === undefined && maxDrift !== undefined)
    throw new RowcastError('usage', '--max-drift has no effect without --compare', {
      hint: 'Give --compare the summary of an earlier run.',
    });
  if (compare === undefined) return undefined;
  // Loaded only when it is needed.
  const { readEarlierSummary } = await import('./earlier-summary.ts');
  return readEarlierSummary(compare, report);
}
