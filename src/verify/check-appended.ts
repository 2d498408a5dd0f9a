import { sumsToOne } from '../contract/predictions.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import { sanitize } from '../sanitize.ts';

/** What became of a row, or what is wrong with the fields that were appended to it. */
export type AppendedOutcome = 'scored' | 'unscored' | { readonly wrong: string };

/** Checks what was appended to each row. */
export interface AppendedCheck {
  /** @param bytes those of the output; `[start, end)` is appended, its leading delimiter included */
  check(bytes: Buffer, start: number, end: number): AppendedOutcome;
}

/** A way to understand the appended names. */
interface Layout {
  /** How many of them are probabilities. */
  classes: number;
  /** The predicted column's field for each class, its bytes as latin1; undefined where there is no such column. */
  predicted: readonly string[] | undefined;
}

/**
 * A check of appended fields: probabilities in 0..1 that sum to 1, each the shortest text of its number, and
 * perhaps the likeliest class; or nothing in any of them.
 *
 * Where the names alone do not tell the prefix from the classes, or a probability column called predicted_… from
 * the prediction, each way of reading them stays possible until a row speaks against it.
 *
 * @returns undefined where these cannot be names that were appended
 */
export function appendedCheck(names: readonly string[], dialect: Dialect): AppendedCheck | undefined {
  let layouts = layoutsOf(names, dialect);
  if (layouts.length === 0) return undefined;
  const { delimiter } = dialect;
  const empty = delimiter.repeat(names.length);
  return {
    check(bytes, start, end) {
      // Numbers are ASCII; in latin1 a class of any script can be compared byte for byte.
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
  let likeliest = 0;
  for (let index = 0; index < classes; index++) {
    if (text[at] !== delimiter)
      return at < text.length
        ? `"${sanitize(text.slice(at))}" stands after the probabilities`
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
      likeliest = index;
    }
    at = end;
  }
  if (!sumsToOne(sum, classes)) return `the probabilities sum to ${sum}, not to 1`;
  if (predicted === undefined)
    return at === text.length ? undefined : 'there are more fields than the header has columns';
  if (text.startsWith(delimiter, at) && text.slice(at + 1) === predicted[likeliest]) return undefined;
  return `${sanitize(names.at(-1) ?? '')} is not the likeliest class`;
}

function describeField(field: string): string {
  const probability = Number(field);
  if (field.trim() === '') return 'empty, but not all of the appended fields are';
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

/** What may be the prefix of names that are all `<prefix>_<class>`. */
function prefixesOf(names: readonly string[]): string[] {
  const [first, ...others] = names;
  if (first === undefined) return [];
  return [...first.matchAll(/_/g)]
    .map(({ index }) => first.slice(0, index))
    .filter(prefix => others.every(name => name.startsWith(`${prefix}_`)));
}
