import type { ColumnType } from '../../../base/contract/schemas.ts';
import { isBlank } from '../../../formats/values/coerce.ts';
import {
  type ColumnKind,
  columnKind,
  countTexts,
  type TextCounts,
} from '../../../formats/values/column-type.ts';
import { daysOf } from '../../../formats/values/dates.ts';
import { readNumber } from '../../../formats/values/numbers.ts';
import { learnColumn } from '../../../training/rows/learn-columns.ts';
import type { Histogram, ProfiledColumn } from './profile-shape.ts';

const BINS = 20;
const TOP = 10;

/** What the sample says about one column. */
export interface SampledColumn
  extends Pick<
    ProfiledColumn,
    'type' | 'leftOut' | 'leftOutAs' | 'unreadable' | 'top' | 'histogram' | 'hint'
  > {
  /** How many different values there are. */
  different: number;
}

/**
 * Decides about a column as training does, by its values in a sample.
 *
 * @param unusable why training leaves it out whatever its values are, if it does
 */
export function profileColumn(
  name: string,
  values: readonly string[],
  unusable: string | undefined,
): SampledColumn {
  const given = values.filter(value => !isBlank(value));
  const texts = countTexts(given);
  const kind = columnKind(texts);
  const reason = (type?: ColumnType): string | null => {
    if (unusable !== undefined) return unusable;
    const decision = learnColumn(name, values, type);
    return 'leftOut' in decision ? decision.leftOut : null;
  };
  const leftOut = reason();
  const numbers = numbersOf(texts, kind);
  const of = (type: ColumnType): string | null => (type === kind.type ? leftOut : reason(type));
  return {
    type: kind.type,
    leftOut,
    leftOutAs: { numerical: of('numerical'), categorical: of('categorical'), date: of('date') },
    different: texts.size,
    unreadable: kind.type === 'categorical' ? 0 : given.length - numbers.length,
    top: [...texts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, TOP)
      .map(([text, count]) => ({ text: cut(text), count })),
    histogram: histogramOf(numbers),
    hint: leftOut === null ? idHint(name, { texts, given: given.length, numbers }) : null,
  };
}

/** The values as numbers, in ascending order; none for a categorical column. */
function numbersOf(texts: TextCounts, kind: ColumnKind): Float64Array {
  if (kind.type === 'categorical') return new Float64Array();
  const read = (text: string): number | null =>
    kind.type === 'numerical' ? readNumber(text, kind.notation) : daysOf(text, kind.order);
  const numbers = [...texts].flatMap(([text, count]) => {
    const value = read(text);
    return value === null ? [] : new Array<number>(count).fill(value);
  });
  return Float64Array.from(numbers).sort();
}

function histogramOf(sorted: Float64Array): Histogram | null {
  const [low, high, median] = [sorted[0], sorted.at(-1), sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined || median === undefined) return null;
  const counts = new Array<number>(high > low ? BINS : 1).fill(0);
  for (const value of sorted) {
    // Halved, because the range of two large numbers may be infinite.
    const at = high > low ? Math.floor(((value / 2 - low / 2) / (high / 2 - low / 2)) * BINS) : 0;
    const bin = Math.min(at, counts.length - 1);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { low, high, median, counts };
}

/** With fewer values, different ones are no sign of anything. */
const MIN_VALUES = 20;
const MOSTLY = 0.5;

interface Values {
  texts: TextCounts;
  /** The number of values that are not blank. */
  given: number;
  /** The values that are numbers or dates. */
  numbers: Float64Array;
}

const isIdName = (name: string): boolean =>
  /(?:^|[^a-z])(?:id|uuid|guid|key)$/i.test(name) || /[a-z]I[dD]$/.test(name);

/** A hint for a column that training uses, although it may only identify rows. */
function idHint(name: string, { texts, given, numbers }: Values): string | null {
  if (given < MIN_VALUES) return null;
  const next = 'Exclude it if it only identifies rows.';
  if (numbers.length === given && texts.size === given && numbers.every(Number.isInteger))
    return `All its values are different whole numbers, as in an ID. ${next}`;
  if (isIdName(name.trim()) && texts.size > MOSTLY * given)
    return `Its name and its many different values look like an ID. ${next}`;
  return null;
}

const MAX_CHARACTERS = 100;

/** A value, cut so that a profile stays small. */
export const cut = (text: string): string =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
