import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { isBeyond } from '../../base/options/values/reject-limit.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import {
  type CountedColumn,
  MIN_ROWS_FOR_SHARE,
  type UnknownKind,
} from '../../scoring/counting/counted-column.ts';
import { isKnown, placeOf, type RunTally } from '../../scoring/counting/run-tally.ts';
import type { TallyLayout } from '../../scoring/counting/tally.ts';

/**
 * By default, a run stops for columns that matter, each or together, see `CountedColumn`, but never because of a single
 * value, nor in an input of a few rows, unless no value of any column is known. A limit that is given is for each
 * column.
 */
export type UnrecognizedLimits = Partial<Pick<RunValues, 'maxMismatches' | 'maxMissing' | 'maxUnseen'>>;

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
  {
    kind: 'missing',
    limit: 'maxMissing',
    code: 'too_many_missing',
    option: '--max-missing',
    one: 'is missing',
    many: 'are missing',
  },
] as const;

/** Values of a column of which there are too many. */
interface Excess {
  column: CountedColumn;
  of: (typeof kinds)[number];
  found: number;
  /** Among how many: those that are there, or all rows for missing ones. */
  among: number;
}

/** By default, values that fewer rows have do not stop a run: the others of the column are missing. */
const MIN_SHARE_OF_ROWS = 0.01;
/** Weights are rounded. */
const ENOUGH = 1 - 1e-9;

/**
 * Stops a run when columns have too many values that the model does not know, or that are missing.
 *
 * @param rows whose values were counted
 * @param isEnd whether all rows were read; before that, a percentage applies only from 1,000 values on
 * @param quote describes the values of a column that are of a kind
 * @throws RowcastError `too_many_mismatches`, `too_many_unseen`, `too_many_missing`
 */
export function checkUnrecognized(
  limits: UnrecognizedLimits,
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'unrecognizedAt'>,
  rows: number,
  isEnd: boolean,
  quote: (column: CountedColumn, kind: UnknownKind) => string | undefined = () => undefined,
): void {
  const found: Excess[] = [];
  const useless: Excess[] = [];
  for (const [i, column] of layout.columns.entries()) {
    const at = layout.unrecognizedAt(i);
    const countOfKind = (kind: UnknownKind): number => counts[at + placeOf[kind]] ?? 0;
    const there = rows - countOfKind('missing');
    for (const of of kinds) {
      const limit = limits[of.limit];
      const among = of.kind === 'missing' ? rows : there;
      const excess = { column, of, found: countOfKind(of.kind), among };
      if (excess.found === 0 || limit === 'none' || !isKnown(column, of.kind)) continue;
      if (of.kind === 'missing' && column.mayBeMissing) continue;
      if (limit === undefined) {
        if (rows < MIN_ROWS_FOR_SHARE) {
          if (excess.found === among) useless.push(excess);
        } else if (isBeyondDefault(excess, rows, isEnd)) found.push(excess);
      } else if (isBeyond(limit, { rejected: excess.found, read: among }, isEnd))
        throw stopped([excess], quote);
    }
  }
  // One row with objects where values belong is a whole table, as pandas writes one by default. A single value may be
  // unknown.
  const isUseless = isEnd && useless.length === layout.columns.length && (rows > 1 || useless.length > 1);
  const heaviest = (isUseless ? useless : found).toSorted((a, b) => weightOf(b) - weightOf(a));
  if (heaviest.reduce((sum, excess) => sum + weightOf(excess), 0) >= ENOUGH) throw stopped(heaviest, quote);
}

const weightOf = ({ column: { weight = 1 } }: Excess): number => weight;

function isBeyondDefault({ column, of, found, among }: Excess, rows: number, isEnd: boolean): boolean {
  const share = column.stopsAbove?.[of.kind];
  if (share === undefined || found === 1 || found < MIN_SHARE_OF_ROWS * rows) return false;
  return isBeyond({ percent: 100 * share }, { rejected: found, read: among }, isEnd);
}

/** @param excesses the worst first */
function stopped(
  [worst, ...others]: readonly Excess[],
  quote: (column: CountedColumn, kind: UnknownKind) => string | undefined,
): RowcastError {
  if (worst === undefined) throw new TypeError('stopped: no column');
  const { column, of, found, among } = worst;
  const { code } = of;
  const quoted = quote(column, of.kind);
  const more = new Set(others.map(other => other.column.name).filter(name => name !== column.name));
  const names = [...more].slice(0, MAX_NAMED).map(name => `"${sanitize(name)}"`);
  const also =
    names.length === 0
      ? ''
      : `; most values of ${names.join(', ')}${more.size > MAX_NAMED ? ', …' : ''} mean nothing to the model either`;
  return new RowcastError(
    code,
    `${counted(found)} of ${countOf(among, 'value')} of "${sanitize(column.name)}" ${found === 1 ? of.one : of.many}${also}`,
    {
      severity: 'stopped',
      needsRestart: true,
      hint: `Look at this column of the input; to resume, run the same command with a higher ${of.option}, or with ${of.option} none. After correcting the input, add --restart.`,
      ...(quoted !== undefined && { quote: quoted }),
    },
  );
}

const MAX_NAMED = 5;

/** Whether this is an error of `checkUnrecognized`. */
export const isUnrecognizedError = (error: unknown): boolean =>
  error instanceof RowcastError && kinds.some(({ code }) => code === error.code);
