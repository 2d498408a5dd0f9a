import { RowcastError } from '../../../base/errors.ts';
import { countOf, partOf } from '../../../base/number-text.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { plainNumber } from '../../../formats/values/coerce.ts';
import {
  columnKind,
  countTexts,
  kindOfType,
  type TextCounts,
  TYPE_SHARE,
} from '../../../formats/values/column-type.ts';
import { isMissingSpelling } from '../../../formats/values/missing-values.ts';
import { readNumber } from '../../../formats/values/numbers.ts';
import { lowerBounds } from '../bin-labels.ts';

/** What kind of column is predicted. */
export type TargetKind = 'classes' | 'numbers';

/**
 * Numeric classes such as grades and ratings are few; more distinct numbers are amounts. The limit is a choice: ratings of
 * 1 to 10 and grades of 1 to 20 are classes; ages, years and prices are amounts.
 */
export const MAX_NUMERIC_CLASSES = 20;

/** Whether the values of a column are amounts rather than classes. */
export const areAmounts = (texts: TextCounts, most = MAX_NUMERIC_CLASSES): boolean =>
  texts.size > most && columnKind(texts).type === 'numerical';

/** Whether a column is learned as numbers. */
export const isOfAmounts = (texts: TextCounts, target: TargetKind | undefined): boolean =>
  target === 'numbers' || (target === undefined && areAmounts(texts));

/** The sentence of a note that names the option for another target; pages have a form for it. */
export const OTHER_TARGET = / To predict [^.]* use --[^.]*\.$/;

/** Why a column of numbers is learned as classes, if that is not obvious: a sentence, or none. */
export function notesOfFewNumbers(texts: TextCounts, predict: string): string[] {
  const { size } = new Set([...texts.keys()].map(text => readNumber(text, 'point')));
  if (size < 3 || columnKind(texts).type !== 'numerical') return [];
  return [
    `The report predicts classes, because "${sanitize(predict)}" has only ${size} different numbers. To predict a number, use --target numbers.`,
  ];
}

const TENTHS = 10;

/** Single precision, which predictions have, becomes coarser from 1e-38 on. */
const SMALLEST = 1e-35;

/** The tenth of the numbers that each number is in, as an index; of a column with many equal numbers, fewer tenths. */
export function tenthsOf(numbers: readonly number[]): { indexes: number[]; count: number } {
  const edges = lowerBounds(
    numbers.map(value => ({ value, count: 1 })),
    TENTHS,
  );
  return { indexes: numbers.map(value => rangeOf(value, edges)), count: edges.length + 1 };
}

const rangeOf = (value: number, edges: readonly number[]): number => {
  const at = edges.findIndex(edge => value < edge);
  return at === -1 ? edges.length : at;
};

/** Strata for a sample of rows with numbers: tenths of the first ones. */
export class NumberStrata {
  readonly #edges: readonly number[];

  /** @param texts the first labels */
  constructor(texts: TextCounts) {
    const numbers = [...texts].flatMap(([text, count]) => {
      const value = eitherNumber(text);
      return value === null ? [] : [{ value, count }];
    });
    this.#edges = lowerBounds(numbers, TENTHS);
  }

  /** The name of a label's stratum; undefined if it is not a number. */
  of(label: string): string | undefined {
    const value = eitherNumber(label);
    return value === null ? undefined : String(rangeOf(value, this.#edges));
  }
}

/** A number with a decimal point, else with a decimal comma. */
export const eitherNumber = (text: string): number | null =>
  readNumber(text, 'point') ?? readNumber(text, 'comma');

/** Rows that are labelled with numbers. */
interface NumberedTable {
  rows: string[][];
  numbers: number[];
  notes: string[];
}

interface NumberOptions {
  predict: string;
  target?: TargetKind | undefined;
  /** Where a label is that is not a number, if it is known: `line 7`. */
  placeOf?: (label: string) => string | undefined;
}

/**
 * Reads numbers to predict; rows whose label is not a number are left out.
 *
 * @throws RowcastError `not_numbers` if more than 5% of the labels are neither numbers nor known for missing values
 */
export function numberLabels(
  sampled: string[][],
  column: number,
  { predict, target, placeOf }: NumberOptions,
): NumberedTable {
  const name = sanitize(predict);
  const texts = countTexts(sampled.map(row => row[column] ?? ''));
  const kind = kindOfType(texts, 'numerical');
  const notation = kind?.type === 'numerical' ? kind.notation : 'point';
  const values = new Map([...texts.keys()].map(text => [text, readNumber(text, notation)]));
  const others = [...texts].filter(([text]) => values.get(text) === null);
  const sum = (counts: readonly (readonly [string, number])[]) =>
    counts.reduce((total, [, count]) => total + count, 0);
  const left = sum(others);
  const [first] = others;
  const place = first && placeOf?.(first[0]);
  const where = place === undefined ? '' : ` (the first one: ${sanitize(place)})`;
  const strange = sum(others.filter(([text]) => !isMissingSpelling(text)));
  const tooLarge = others.some(([text]) => plainNumber(text) !== null) ? ' or beyond ±3.4e38' : '';
  if (strange > (1 - TYPE_SHARE) * sampled.length)
    throw new RowcastError(
      'not_numbers',
      `"${name}" is not a numeric column: ${partOf(strange, sampled.length, 'label', ['is', 'are'])} not numbers${tooLarge}${where}`,
      { hint: 'Leave out --target numbers to predict its values as classes, or correct them.' },
    );
  const labelled = sampled.flatMap(row => {
    const value = values.get(row[column] ?? '') ?? null;
    return value === null ? [] : [{ row, value }];
  });
  const numbers = labelled.map(({ value }) => value);
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  if (largest > 0 && largest < SMALLEST)
    throw new RowcastError(
      'not_numbers',
      `"${name}" has no number beyond ±${SMALLEST}, but predictions cannot be that near to 0`,
      { hint: 'Multiply the numbers by a power of ten that brings them near to 1.' },
    );
  return {
    rows: labelled.map(({ row }) => row),
    numbers,
    notes: [
      ...(target === undefined
        ? [
            `The report predicts a number, because "${name}" has more than ${MAX_NUMERIC_CLASSES} different ones. To predict ranges of them as classes, use --bins 4.`,
          ]
        : []),
      ...(notation === 'comma' ? [`The commas in "${name}" are read as decimal commas.`] : []),
      ...(left === 0
        ? []
        : [`Left out ${countOf(left, 'row')} whose "${name}" is not a number${tooLarge}${where}.`]),
    ],
  };
}
