import { sumsToOne } from '../contract/predictions.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import { sanitize } from '../sanitize.ts';

/** The outcome of a row, or what is wrong with its appended fields. */
export type AppendedOutcome = 'scored' | 'unscored' | { readonly wrong: string };

/** Checks the fields appended to each row. */
export interface AppendedCheck {
  /** @param bytes bytes of the output; `[start, end)` are the appended fields with their leading delimiter */
  check(bytes: Buffer, start: number, end: number): AppendedOutcome;
}

/** A possible interpretation of the appended column names. */
interface Layout {
  /** Number of probability columns. */
  classes: number;
  /** The predicted column's field for each class, as latin1; undefined without such a column. */
  predicted: readonly string[] | undefined;
}

/**
 * Creates a check of the appended fields: probabilities in 0..1 that sum to 1, each in its shortest decimal form, and
 * optionally the most likely class; or all of them empty.
 *
 * The names may be ambiguous: the prefix may contain an underscore, and a probability column may be named predicted_….
 * Every interpretation remains possible until a row contradicts it.
 *
 * @returns undefined if rowcast cannot have appended these names
 */
export function appendedCheck(names: readonly string[], dialect: Dialect): AppendedCheck | undefined {
  let layouts = layoutsOf(names, dialect);
  if (layouts.length === 0) return undefined;
  const { delimiter } = dialect;
  const empty = delimiter.repeat(names.length);
  return {
    check(bytes, start, end) {
      // Numbers are ASCII, and latin1 allows comparing class names byte for byte.
      const text = bytes.toString('latin1', start, end);
      if (text === empty) return 'unscored';
      const [layout, ...others] = layouts;
      const wrong = layout && checkFields(text, layout, names, delimiter);
      if (others.length > 0)
        layouts = layouts.filter(each => checkFields(text, each, names, delimiter) === undefined);
      if (wrong !== undefined && (others.length === 0 || layouts.length === 0)) return { wrong };
      return 'scored';
    },
  };
}

function checkFields(
  text: string,
  { classes, predicted }: Layout,
  names: readonly string[],
  delimiter: string,
): string | undefined {
  let at = 0;
  let sum = 0;
  let most = Number.NEGATIVE_INFINITY;
  let mostLikely = 0;
  for (let index = 0; index < classes; index++) {
    if (text[at] !== delimiter)
      return at < text.length
        ? `unexpected "${sanitize(text.slice(at))}" after the probabilities`
        : `${sanitize(names[index] ?? '')} is missing`;
    const next = text.indexOf(delimiter, at + 1);
    const end = next === -1 ? text.length : next;
    const field = text.slice(at + 1, end);
    const probability = Number(field);
    if (String(probability) !== field || !(probability >= 0 && probability <= 1))
      return `${sanitize(names[index] ?? '')} is ${describeField(field)}`;
    sum += probability;
    if (probability > most) {
      most = probability;
      mostLikely = index;
    }
    at = end;
  }
  if (!sumsToOne(sum, classes)) return `the probabilities sum to ${sum}, not to 1`;
  if (predicted === undefined)
    return at === text.length ? undefined : 'the row has more fields than the header';
  if (text.startsWith(delimiter, at) && text.slice(at + 1) === predicted[mostLikely]) return undefined;
  return `${sanitize(names.at(-1) ?? '')} is not the most likely class`;
}

function describeField(field: string): string {
  const probability = Number(field);
  if (field.trim() === '') return 'empty, but other appended fields are not';
  if (!(probability >= 0 && probability <= 1)) return `"${sanitize(field)}", not a number in 0..1`;
  return `written as "${sanitize(field)}", not as ${probability}`;
}

function layoutsOf(names: readonly string[], dialect: Dialect): Layout[] {
  const latin1 = (name: string): string =>
    Buffer.from(writeRow([name], dialect).slice(0, -1)).toString('latin1');
  const layouts: Layout[] = [];
  const probabilities = names.slice(0, -1);
  if (names.at(-1)?.startsWith('predicted_'))
    for (const prefix of prefixesOf(probabilities))
      layouts.push({
        classes: probabilities.length,
        predicted: probabilities.map(name => latin1(name.slice(prefix.length + 1))),
      });
  if (prefixesOf(names).length > 0) layouts.push({ classes: names.length, predicted: undefined });
  return layouts;
}

/** The possible prefixes of names of the form `<prefix>_<class>`. */
function prefixesOf(names: readonly string[]): string[] {
  const [first, ...others] = names;
  if (first === undefined) return [];
  return [...first.matchAll(/_/g)]
    .map(({ index }) => first.slice(0, index))
    .filter(prefix => others.every(name => name.startsWith(`${prefix}_`)));
}
