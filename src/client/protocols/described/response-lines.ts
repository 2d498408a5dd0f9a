import { InvalidResponse, jsonText, parseResponse, parseResponseText } from '../../parse-response.ts';

/** Parses a response; returns undefined if it is not JSON. */
export function parseIfJson(body: Buffer): unknown {
  try {
    return parseResponse(body);
  } catch {
    return undefined;
  }
}

/**
 * The predictions of a response that has a line for each row: of JSON, or of CSV without a header. Some models respond
 * with all numbers on one line. Any text could be a label of CSV, so a response that begins as JSON or as a page does,
 * or that is not text, is none.
 *
 * @param personas the number of rows sent
 * @param phrases the labels of several words that earlier responses had; those of this one are added; undefined if each
 *   text is known to be a label
 * @returns for a record with several fields, a list
 * @throws InvalidResponse if it is neither JSON nor CSV, or for a single row, a text of several words that is no known
 *   label: errors are such a text
 */
export function rowsOfLines(body: Buffer, personas: number, phrases?: Set<string>): unknown[] {
  const rows = parseLines(body, personas);
  if (phrases === undefined) return rows;
  const own = rows.filter(isPhrase);
  if (personas === 1 && own.some(phrase => !phrases.has(phrase)))
    throw new InvalidResponse(
      'the response to a single row is a text of several words, like an error; if it is a label, say so with --protocol custom',
    );
  if (rows.length === personas && phrases.size < MAX_PHRASES) for (const phrase of own) phrases.add(phrase);
  return rows;
}

/** A model has far fewer labels. */
const MAX_PHRASES = 10_000;

const isPhrase = (value: unknown): value is string => typeof value === 'string' && /\S\s+\S/.test(value);

function parseLines(body: Buffer, personas: number): unknown[] {
  const text = jsonText(body);
  const lines = text.split('\n').filter(line => line.trim() !== '');
  try {
    return lines.map(parseResponseText);
  } catch {
    if (NOT_CSV.some(pattern => pattern.test(text))) throw neither();
  }
  const records = lines.map(fieldsOf);
  const [first = []] = records;
  const isOneLine = records.length === 1 && personas > 1 && first.length === personas;
  if (isOneLine && first.every(value => typeof value !== 'string')) return first;
  return records.map(fields => (fields.length === 1 ? fields[0] : fields));
}

const neither = (): InvalidResponse => new InvalidResponse('the response is neither JSON nor CSV');

/** What a page begins with, a line of JSON, and what no text has, or what was not UTF-8. */
const NOT_CSV = [
  /^\uFEFF?\s*<[a-z!?/]/i,
  /^\s*[[{]/m,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\uFFFD]/,
];

/** A field with what ends it, in quotes or not. */
const FIELD = /[ \t]*(?:"([^"]*(?:""[^"]*)*)"[ \t]*|([^",]*))(,|\r?$)/y;

/** The values of a record. @throws InvalidResponse if it is not CSV */
function fieldsOf(line: string): unknown[] {
  const values: unknown[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const [, quoted, plain, end] = FIELD.exec(line) ?? [];
    if (end === undefined) throw neither();
    values.push(valueIn(quoted?.replaceAll('""', '"') ?? plain));
    if (end !== ',') return values;
  }
}

/** A field as JSON would have it: a number, a text, or null if it is missing. */
function valueIn(field = ''): unknown {
  const text = field.trim();
  if (text === '' || text === 'NaN' || text === 'nan') return null;
  return NUMBER.test(text) ? Number(text) : text;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
