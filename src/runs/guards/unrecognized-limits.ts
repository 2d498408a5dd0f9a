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
import { isKnown, placeOf, type UnknownKind } from '../../scoring/counting/unrecognized.ts';

/**
 * By default, a run stops for columns that matter, see `CountedColumn.stopsAbove`, but never because of a single value. A
 * limit that is given is for all columns.
 */
export interface UnrecognizedLimits {
  maxMismatches?: RejectLimitOrNone | undefined;
  maxUnseen?: RejectLimitOrNone | undefined;
}

const kinds = [
  {
    kind: 'mismatched',
    limit: 'maxMismatches',
    code: 'too_many_mismatches',
    option: '--max-mismatches',
    one: 'does not fit its type',
    many: 'do not fit its type',
  },
  {
    kind: 'unseen',
    limit: 'maxUnseen',
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
export function checkUnrecognized(
  limits: UnrecognizedLimits,
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'unrecognizedAt'>,
  read: number,
  isEnd: boolean,
  quote: (column: CountedColumn, kind: UnknownKind) => string | undefined = () => undefined,
): void {
  for (const { kind, limit: name, code, option, one, many } of kinds) {
    for (const [i, column] of layout.columns.entries()) {
      const rejected = counts[layout.unrecognizedAt(i) + placeOf[kind]] ?? 0;
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

/** Whether this is an error of `checkUnrecognized`. */
export const isUnrecognizedError = (error: unknown): boolean =>
  error instanceof RowcastError && kinds.some(({ code }) => code === error.code);

/** The limit of a column; undefined if there is none, or if it is not known which values the model recognizes. */
function limitOf(
  column: CountedColumn,
  kind: UnknownKind,
  given: RejectLimitOrNone | undefined,
): RejectLimit | undefined {
  if (!isKnown(column, kind) || given === 'none') return undefined;
  return given ?? (column.stopsAbove && { percent: 100 * column.stopsAbove[kind] });
}
