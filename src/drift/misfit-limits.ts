import { isBeyond, type RejectLimit } from '../config/reject-limit.ts';
import { RowcastError } from '../errors.ts';
import { sanitize } from '../sanitize.ts';
import type { RunTally } from './run-tally.ts';
import type { TallyLayout } from './tally.ts';

export interface MisfitLimits {
  maxMismatches?: RejectLimit | undefined;
  maxUnseen?: RejectLimit | undefined;
}

const kinds = [
  {
    limit: 'maxMismatches',
    place: 1,
    code: 'too_many_mismatches',
    option: '--max-mismatches',
    what: 'do not fit its type',
  },
  {
    limit: 'maxUnseen',
    place: 2,
    code: 'too_many_unseen',
    option: '--max-unseen',
    what: 'are categories that the model does not know',
  },
] as const;

/**
 * Stops a run when any column has too many values that the model does not know.
 *
 * @param isEnd whether all rows were read; before that, a percentage applies only from 1,000 rows on
 * @throws RowcastError `too_many_mismatches`, `too_many_unseen`
 */
export function checkMisfits(
  limits: MisfitLimits,
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'misfitsAt'>,
  read: number,
  isEnd: boolean,
): void {
  for (const { limit: name, place, code, option, what } of kinds) {
    const limit = limits[name];
    if (limit === undefined) continue;
    for (const [i, { name: column, learned, hasLevels }] of layout.columns.entries()) {
      const isKnown = code === 'too_many_unseen' ? hasLevels : learned !== undefined;
      const rejected = counts[layout.misfitsAt(i) + place] ?? 0;
      if (!isKnown || !isBeyond(limit, { rejected, read }, isEnd)) continue;
      throw new RowcastError(code, `${rejected} of ${read} values of "${sanitize(column)}" ${what}`, {
        severity: 'stopped',
        hint: `Look at this column of the input; to resume, run the same command with a higher ${option}.`,
      });
    }
  }
}
