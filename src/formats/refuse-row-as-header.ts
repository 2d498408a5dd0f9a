import { RowcastError } from '../base/errors.ts';
import { sanitize } from '../base/sanitize.ts';

const number = /^[-+\u2212]?\p{Sc}? ?(?:\d[\d.,'\u2019]*|[.,]\d+)(?:e[-+]?\d+)?[ \u00a0]?(?:%|\p{Sc})?$/iu;
const dateOrTime = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?$|^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;
/** Values that are also found among numbers and dates. */
const filler = /^(?:true|false|null|nan|na|n\/a|none|\?|-)?$/i;

/** The most names that a message quotes. */
const MAX_QUOTED = 4;

export interface HeaderLine {
  names: readonly string[];
  /** The input, for the message. */
  file: string;
  /** By default 1. */
  line?: number | undefined;
  /** What to do about it. */
  hint: string;
}

/**
 * Refuses a header whose names all look like values, because the first line is then probably a row of an input without
 * a header.
 *
 * @param known names that a user or a report knows; one of them in the header shows that it has names
 * @throws RowcastError `bad_header`
 */
export function refuseRowAsHeader(
  { names, file, line = 1, hint }: HeaderLine,
  known: Iterable<string> = [],
): void {
  const isMixed = !looksLikeRow(names);
  if (isMixed && !hasValues(names)) return;
  const isKnown = new Set(known);
  if (names.some(name => isKnown.has(name))) return;
  const quoted = names.slice(0, MAX_QUOTED).map(name => (name === '' ? '""' : sanitize(name)));
  if (names.length > MAX_QUOTED) quoted.push('…');
  throw new RowcastError(
    'bad_header',
    `${isMixed ? 'names in the header look like values' : 'every name in the header looks like a value'} (${quoted.join(', ')}), so the first line is probably a row`,
    { location: { file, line }, hint },
  );
}

/** Whether the names are numbers and dates. Those that count, such as years or positions, are names all the same. */
function looksLikeRow(names: readonly string[]): boolean {
  let values = 0;
  for (const name of names) {
    const text = name.trim();
    if (looksLikeValue(text)) values++;
    else if (!filler.test(text)) return false;
  }
  return values > 0 && !areCounting(names);
}

/**
 * Whether numbers among the names are those of a row. Names that are numbers, such as years, rise or fall, and
 * fractions are rarely among fewer than three.
 */
function hasValues(names: readonly string[]): boolean {
  const texts = names.map(name => name.trim()).filter(name => /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(name));
  const values = texts.map(Number);
  const rise = values.every((value, index) => index === 0 || value > (values[index - 1] ?? value));
  const fall = values.every((value, index) => index === 0 || value < (values[index - 1] ?? value));
  if (values.length > 1 && !rise && !fall) return true;
  return values.length < MIN_COUNTING && texts.some(text => text.includes('.'));
}

/** Whether a text, which is no number, is also found among numbers and dates. */
export const isFiller = (text: string): boolean => filler.test(text.trim());

/** Whether a name is a number, a date or a time. */
export const looksLikeValue = (name: string): boolean =>
  number.test(name.trim()) || dateOrTime.test(name.trim());

/** The fewest names that are seen to count: the two numbers of a row may well follow each other. */
const MIN_COUNTING = 3;

/** Whether the names are whole numbers that rise by the same step. */
function areCounting(names: readonly string[]): boolean {
  if (names.length < MIN_COUNTING || !names.every(name => /^\d+$/.test(name))) return false;
  const [first = 0, second = 0] = names.map(Number);
  const step = second - first;
  return step > 0 && names.every((name, index) => Number(name) === first + index * step);
}
