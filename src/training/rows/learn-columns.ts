import type { TypeChoice } from '../../base/contract/limits.ts';
import { codePointOrder } from '../../base/contract/predictions.ts';
import { sanitize } from '../../base/sanitize.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { isBlank } from '../../formats/values/coerce.ts';
import { columnKind, countTexts, kindOfType, TYPE_SHARE } from '../../formats/values/column-type.ts';
import { type DateOrder, daysOf } from '../../formats/values/dates.ts';
import { readNumber } from '../../formats/values/numbers.ts';
import { uninformativeNumbers } from './uninformative-numbers.ts';

/** The decisions about the columns of the training data. */
export interface LearnedColumns {
  columns: LearnedColumn[];
  /** The index of each column in the header. */
  indexes: number[];
  /** Indexes of columns that were left out because they count the rows. */
  counters: number[];
  notes: string[];
}

/** What a user decided about the columns. */
export interface ColumnChoices {
  /** The only columns to use; by default all. */
  features?: readonly string[] | undefined;
  /** Columns to leave out. */
  excludeFeatures?: readonly string[] | undefined;
  /** Column → type; other types are detected. */
  types?: Readonly<Record<string, TypeChoice>> | undefined;
}

/** A level with fewer rows would be overfitted. */
const MIN_LEVEL_ROWS = 5;

/** With a larger share of distinct values, a column holds names, addresses or free text. */
const UNIQUE_SHARE = 0.5;

/** The order of day and month is noted, because dates such as 03/04/2024 are ambiguous. */
const orderNotes: Readonly<Record<DateOrder, string>> = {
  ymd: 'the year first',
  dmy: 'the day before the month',
  mdy: 'the month before the day',
};

const shortYearNote = ', some with two-digit years (69 to 99 mean 1969 to 1999, 00 to 68 mean 2000 to 2068)';

/** Decides which columns are used, and as which type. @param rows those that training may use, in file order */
export function learnColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  predicted: number,
  choices: ColumnChoices = {},
): LearnedColumns {
  const excluded = new Set(choices.excludeFeatures);
  const features = choices.features && new Set(choices.features);
  const learned: LearnedColumns = { columns: [], indexes: [], counters: [], notes: [] };
  header.forEach((name, index) => {
    if (index === predicted) return;
    const decision =
      nameProblem(header, name) ??
      (excluded.has(name)
        ? { leftOut: 'it was excluded' }
        : features?.has(name) === false
          ? { leftOut: 'it is not one of the chosen features' }
          : learnColumn(
              name,
              rows.map(row => row[index] ?? ''),
              chosenType(choices, name),
            ));
    if ('leftOut' in decision) {
      if (decision.isCounter) learned.counters.push(index);
      const which = name === '' ? `column ${index + 1}` : `"${sanitize(name)}"`;
      learned.notes.push(`Left out ${which}: ${decision.leftOut}.`);
      return;
    }
    learned.columns.push(...decision.columns);
    learned.indexes.push(...decision.columns.map(() => index));
    if (decision.note !== undefined) learned.notes.push(decision.note);
  });
  return learned;
}

/** The type that was chosen for a column; its name may be that of a member of every object. */
export const chosenType = ({ types = {} }: ColumnChoices, name: string): TypeChoice | undefined =>
  Object.hasOwn(types, name) ? types[name] : undefined;

const ALL_DISTINCT = 'all its values are distinct, so it only identifies rows';

type ColumnDecision = { columns: LearnedColumn[]; note?: string } | { leftOut: string; isCounter?: true };

/** Why a column of a chosen type cannot be used as such. */
const noValues: Readonly<Record<TypeChoice, string>> = {
  numerical: 'none of its values is a number',
  date: 'none of its values is a date',
  'date:dmy':
    'none of its values is a date with the day before the month, or far more are dates with the month before the day',
  'date:mdy':
    'none of its values is a date with the month before the day, or far more are dates with the day before the month',
  categorical: '',
};

/**
 * Decides one column by its values.
 *
 * @param chosen its type, if it is not to be detected
 */
export function learnColumn(name: string, values: readonly string[], chosen?: TypeChoice): ColumnDecision {
  const given = values.filter(value => !isBlank(value));
  if (given.length === 0) return { leftOut: 'it is empty' };
  const texts = countTexts(given);
  const kind = chosen === undefined ? columnKind(texts) : kindOfType(texts, chosen);
  if (kind === undefined) return { leftOut: noValues[chosen ?? 'categorical'] };
  switch (kind.type) {
    case 'numerical': {
      const { notation } = kind;
      const useless = uninformativeNumbers(name, given, notation);
      if (useless === 'one value') return { leftOut: 'it has only one value' };
      if (useless === 'counter')
        return { leftOut: 'it counts the rows, so it only identifies them', isCounter: true };
      if (useless === 'identifier' && chosen === undefined) return { leftOut: ALL_DISTINCT };
      return { columns: [{ name, type: 'numerical', notation }] };
    }
    case 'date': {
      const { order, otherOrder, hasTimes, hasShortYears } = kind;
      const days = new Set([...texts.keys()].map(text => daysOf(text, order)).filter(day => day !== null));
      if (days.size === 1) return { leftOut: 'it has only one value' };
      const pieces = hasTimes ? (['day', 'hour'] as const) : (['day'] as const);
      const learnedFrom = hasTimes ? 'days since 1970 and the hour of the day' : 'days since 1970';
      return {
        columns: pieces.map(piece => ({ name, type: 'date', order, piece })),
        note:
          `"${sanitize(name)}" holds dates${order === 'ymd' ? '' : `, ${orderNotes[order]}`}${hasShortYears ? shortYearNote : ''}: ` +
          `it is used as ${learnedFrom}.${otherOrder === undefined ? '' : otherOrderNote(name, otherOrder)}`,
      };
    }
    case 'categorical':
      return learnLevels(name, texts, { given: given.length, isChosen: chosen !== undefined });
  }
}

/** What to do if the order of day and month, which the values do not tell, was guessed wrong. */
function otherOrderNote(name: string, other: DateOrder): string {
  // Within the list of an option, a name with these would need quotes.
  const column = /[",\n\r]/.test(name) ? 'COLUMN' : name;
  return ` The values do not tell the order: if it is ${orderNotes[other]}, use --types ${sanitize(shellWord(`${column}=date:${other}`))}.`;
}

/** @param given the number of values that are not blank */
function learnLevels(
  name: string,
  texts: ReadonlyMap<string, number>,
  { given, isChosen }: { given: number; isChosen: boolean },
): ColumnDecision {
  if (texts.size === 1) return { leftOut: 'it has only one value' };
  if (texts.size > given * UNIQUE_SHARE) {
    const numbers = [...texts.keys()].filter(
      text => readNumber(text, 'point') !== null && !/^\s*0\d/.test(text),
    );
    if (!isChosen && numbers.length > texts.size / 2)
      return {
        leftOut: `${Math.floor((100 * numbers.length) / texts.size)}% of its distinct values are numbers; a numeric column needs ${100 * TYPE_SHARE}%`,
      };
    if (texts.size === given) return { leftOut: ALL_DISTINCT };
    return { leftOut: 'most of its values are distinct, as in an identifier or free text' };
  }
  const frequent = frequentLevels(texts);
  if (frequent.length < 2) {
    return { leftOut: `fewer than two of its values occur in ${MIN_LEVEL_ROWS} rows` };
  }
  return { columns: [{ name, type: 'categorical', levels: frequent }] };
}

/** Why a column's name alone makes it unusable, if it does. */
export function nameProblem(
  header: readonly string[],
  name: string,
): { leftOut: string; isCounter?: true } | undefined {
  if (name === '') return { leftOut: 'it has no name' };
  if (header.indexOf(name) !== header.lastIndexOf(name))
    return { leftOut: 'another column has the same name' };
  return undefined;
}

function frequentLevels(texts: ReadonlyMap<string, number>): string[] {
  return [...texts]
    .filter(([, count]) => count >= MIN_LEVEL_ROWS)
    .sort((a, b) => b[1] - a[1] || codePointOrder(a[0], b[0]))
    .map(([level]) => level);
}
