import { RowcastError } from '../../base/errors.ts';
import { LAST } from '../../base/options/drift.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Backends } from '../../storage/backends.ts';
import type { EarlierFigures } from '../drift/compare.ts';
import type { LastRun } from './last-run.ts';
import type { RunNote } from './summary.ts';

/** What the run to compare with is found by. */
export interface EarlierOptions extends Pick<RunValues, 'compare' | 'maxDrift' | 'report'> {
  last: LastRun | undefined;
  backends?: Backends | undefined;
  /** Called if there is nothing to compare with: monitoring never stops a run. */
  note: (warning: RunNote) => void;
}

/**
 * Finds the run to compare with: that of a summary, or the last good one.
 *
 * @throws RowcastError `usage` for a limit on its changes without it; `bad_option` for stdin
 */
export async function earlierOf(options: EarlierOptions): Promise<EarlierFigures | undefined> {
  const { compare, maxDrift, report, last, backends, note } = options;
  if (compare === undefined && maxDrift !== undefined)
    throw new RowcastError('usage', '--max-drift has no effect without --compare', {
      hint: 'Give --compare last, or the summary of an earlier run.',
    });
  if (compare === undefined) return undefined;
  // Loaded only when it is needed.
  const { figuresOfLast, figuresIn } = await import('./earlier-summary.ts');
  const found = compare === LAST ? figuresOfLast(last, report) : await figuresIn(compare, report, backends);
  if (typeof found !== 'string') return found;
  note({ code: 'no_comparison', message: `nothing to compare with: ${found}` });
  return undefined;
}
