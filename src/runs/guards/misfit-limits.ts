import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import {
  isBeyond,
  type RejectLimit,
  type RejectLimitOrNone,
} from '../../base/options/values/reject-limit.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { CountedColumn } from '../../scoring/counting/counted-column.ts';
import type { RunTally } from '../../scoring/counting/run-tally.ts';
import type { TallyLayout } from '../../scoring/counting/tally.ts';

/**
 * By default, a run stops for columns that matter, see `CountedColumn.stopsAbove`, but never because of a single value. A
 * limit that is given is for all columns.
 */
export interface MisfitLimits {
  maxMismatches?: RejectLimitOrNone | undefined;
  maxUnseen?: RejectLimitOrNone | undefined;
}

/** A kind of values that the model does not recognize. */
export type Unrecognized = 'mismatched' | 'unseen';

const kinds = [
  {
    kind: 'mismatched',
    limit: 'maxMismatches',
    place: 1,
    code: 'too_many_mismatches',
    option: '--max-mismatches',
    one: 'does not fit its type',
    many: 'do not fit its type',
  },
  {
    kind: 'unseen',
    limit: 'maxUnseen',
    place: 2,
    code: 'too_many_unseen',
    option: '--max-unseen',
    one: 'is a category that the model does not know',
    many: 'are categories that the model does not know',
  },
] as const;

/**
 * Stops a run when any column has too many values that the model does not know.
 *
 * @param isEnd whether all rows were read; before that, a percentage applies only from 1,000 rows on
 * @param quote describes the values of a column that are of a kind
 * @throws RowcastError `too_many_mismatches`, `too_many_unseen`
 */
export function checkMisfits(
  limits: MisfitLimits,
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'misfitsAt'>,
  read: number,
  isEnd: boolean,
  quote: (column: CountedColumn, kind: Unrecognized) => string | undefined = () => undefined,
): void {
  for (const { kind, limit: name, place, code, option, one, many } of kinds) {
    for (const [i, column] of layout.columns.entries()) {
      const rejected = counts[layout.misfitsAt(i) + place] ?? 0;
      if (rejected === 0 || (rejected === 1 && limits[name] === undefined)) continue;
      const limit = limitOf(column, kind, limits[name]);
      if (limit === undefined || !isBeyond(limit, { rejected, read }, isEnd)) continue;
      const quoted = quote(column, kind);
      throw new RowcastError(
        code,
        `${counted(rejected)} of ${countOf(read, 'value')} of "${sanitize(column.name)}" ${rejected === 1 ? one : many}`,
        {
          severity: 'stopped',
          hint: `Look at this column of the input; to resume, run the same command with a higher ${option}, or with ${option} none.`,
          ...(quoted !== undefined && { quote: quoted }),
        },
      );
    }
  }
}

/** How many values of all columns the model does not recognize, as far as it is known which it does. */
export function countUnrecognized(
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'misfitsAt'>,
): Record<Unrecognized, number> {
  const total = { mismatched: 0, unseen: 0 };
  for (const { kind, place } of kinds)
    for (const [i, column] of layout.columns.entries())
      if (isKnown(column, kind)) total[kind] += counts[layout.misfitsAt(i) + place] ?? 0;
  return total;
}

/** Whether this is an error of `checkMisfits`. */
export const isMisfitError = (error: unknown): boolean =>
  error instanceof RowcastError && kinds.some(({ code }) => code === error.code);

/** The limit of a column; undefined if there is none, or if it is not known which values the model recognizes. */
function limitOf(
  column: CountedColumn,
  kind: Unrecognized,
  given: RejectLimitOrNone | undefined,
): RejectLimit | undefined {
  if (!isKnown(column, kind) || given === 'none') return undefined;
  return given ?? (column.stopsAbove && { percent: 100 * column.stopsAbove[kind] });
}

const isKnown = ({ learned, hasLevels }: CountedColumn, kind: Unrecognized): boolean =>
  kind === 'unseen' ? hasLevels : learned !== undefined;
