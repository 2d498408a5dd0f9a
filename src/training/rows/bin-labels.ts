import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { columnKind, type TextCounts } from '../../formats/values/column-type.ts';
import { readNumber } from '../../formats/values/numbers.ts';

export interface BinnedLabels {
  /** Maps a label as written to the name of its range; undefined if it is not a number. */
  nameOf(label: string): string | undefined;
  /** The names of the ranges in ascending order; undefined for other classes. */
  order?: readonly string[];
  notes: string[];
}

/**
 * Divides numeric labels into at most `bins` ranges with about the same number of rows. Equal numbers are always in the
 * same range, so data with many equal numbers gets fewer ranges.
 *
 * @throws RowcastError `not_numbers`
 */
export function binLabels(texts: TextCounts, bins: number, predict: string): BinnedLabels {
  const kind = columnKind(texts);
  if (kind.type !== 'numerical')
    throw new RowcastError(
      'not_numbers',
      `"${sanitize(predict)}" is not a numeric column, so it cannot be divided into ranges`,
      {
        hint: 'Leave out --bins to predict its values as classes.',
      },
    );
  const read = (text: string) => readNumber(text, kind.notation);
  const numbers = [...texts].flatMap(([text, count]) => {
    const value = read(text);
    return value === null ? [] : [{ value, count }];
  });
  const edges = lowerBounds(numbers, bins);
  const names = [...edges, Number.POSITIVE_INFINITY].map((edge, i) => nameOf(edges[i - 1], edge));
  const skipped = [...texts].reduce((sum, [text, count]) => sum + (read(text) === null ? count : 0), 0);
  return {
    nameOf: label => {
      const value = read(label);
      if (value === null) return undefined;
      const at = edges.findIndex(edge => value < edge);
      return names[at === -1 ? edges.length : at];
    },
    order: names,
    notes: [
      ...(kind.notation === 'comma'
        ? [`The commas in "${sanitize(predict)}" are read as decimal commas.`]
        : []),
      `Divided "${sanitize(predict)}" into ${names.length} ranges with about the same number of rows: ${names.join(', ')}.`,
      ...(skipped === 0
        ? []
        : [`Left out ${countOf(skipped, 'row')} whose "${sanitize(predict)}" is not a number.`]),
    ],
  };
}

/** The lower bounds of all ranges of about equally many numbers but the first one, in ascending order. */
export function lowerBounds(numbers: readonly { value: number; count: number }[], bins: number): number[] {
  const sorted = numbers.toSorted((a, b) => a.value - b.value);
  const rows = sorted.reduce((sum, { count }) => sum + count, 0);
  const edges: number[] = [];
  let below = 0;
  let quantile = 1;
  let previous = sorted[0]?.value;
  for (const { value, count } of sorted) {
    // The first number at or past a quantile starts a range, only one even if it spans several quantiles.
    if (value !== previous && below * bins >= quantile * rows) {
      edges.push(value);
      quantile = Math.floor((below * bins) / rows) + 1;
    }
    below += count;
    previous = value;
  }
  return edges;
}

function nameOf(from: number | undefined, to: number): string {
  if (from === undefined) return to === Number.POSITIVE_INFINITY ? 'all' : `below ${to}`;
  return to === Number.POSITIVE_INFINITY ? `${from} and above` : `${from} to ${to}`;
}
