import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { filteredBy, type PipedFile } from '../../base/shell-pipe.ts';
import { shellWord } from '../../base/shell-word.ts';
import { writeRow } from '../../base/write-row.ts';
import { LF } from '../records/line-endings.ts';
import { isFiller, looksLikeValue } from '../refuse-row-as-header.ts';
import { afterHeader, asLines, COMMON_DELIMITERS, type Header } from './header.ts';

/** Bytes after a header in which another one is looked for, and lines of them. */
export const FIRST_BYTES = 16 << 10;
const MAX_LINES = 50;
/** Lines after it that must have as many columns. */
const MIN_ROWS = 2;

/** A header that is not in the first line. */
interface Found {
  line: number;
  delimiter: string;
}

/**
 * What to do if the header is in a later line.
 *
 * @param first bytes after the line that was read as the header
 * @param wanted the names that it must have; if there are none, it must have names, and the lines after it as many
 *   columns
 */
export function laterHeaderHint(
  header: Header,
  first: Buffer,
  wanted: readonly string[],
): string | undefined {
  if (header.instead !== undefined) return undefined;
  const found = laterHeader(header, first, wanted);
  if (found === undefined) return undefined;
  const { line, delimiter } = found;
  const isOther = delimiter !== header.dialect.delimiter;
  const flag = isOther ? ` --delimiter ${delimiter === '\t' ? 'tab' : `'${delimiter}'`}` : '';
  return `Line ${line} has ${wanted.length === 0 ? 'columns, as the lines after it' : 'these columns'}: use --skip-lines ${line - 1}${flag}.`;
}

function laterHeader(header: Header, first: Buffer, wanted: readonly string[]): Found | undefined {
  const before = header.before?.lines ?? 0;
  const own = header.dialect.delimiter;
  const fieldsBy = (delimiter: string): string[][] => fieldsOfLines(first, delimiter);
  if (wanted.length === 0 && isHeaderOf(header, fieldsBy)) return undefined;
  for (const delimiter of [own, ...COMMON_DELIMITERS.filter(other => other !== own)]) {
    const rows = fieldsBy(delimiter);
    const index = rows.findIndex((row, at) =>
      wanted.length === 0
        ? isNames(row) && row.length > header.names.length && hasRows(rows.slice(at + 1), row.length)
        : wanted.every(name => row.includes(name)),
    );
    if (index !== -1) return { line: before + header.lines + 1 + index, delimiter };
  }
  return undefined;
}

/** The fields of the first whole lines, as far as they can be told without reading quotes that go over several. */
export function fieldsOfLines(first: Buffer, delimiter: string): string[][] {
  const lines = first.toString('utf8').split(/\r\n|\n|\r/);
  // The last one may be cut off.
  return lines.slice(0, Math.min(MAX_LINES, lines.length - 1)).map(line => fieldsOf(line, delimiter));
}

/** Whether a header of a single column has, with another delimiter, as many as the lines after it. */
const isHeaderOf = (
  { names: [only = '', ...others] }: Header,
  fieldsBy: (by: string) => string[][],
): boolean =>
  others.length === 0 &&
  COMMON_DELIMITERS.some(delimiter => {
    const { length } = only.split(delimiter);
    return length > 1 && hasRows(fieldsBy(delimiter), length);
  });

/** Whether the fields of a record are names of columns. */
export const isNames = (row: readonly string[]): boolean =>
  row.length > 1 &&
  new Set(row).size === row.length &&
  !row.some(name => name === '' || looksLikeValue(name));

const hasRows = (rows: readonly (readonly string[])[], width: number): boolean =>
  rows.length >= MIN_ROWS && rows.every(({ length }) => length === width);

/** The fields of a line. A delimiter between quotes separates none, if each field before it has both of its quotes. */
function fieldsOf(line: string, delimiter: string): string[] {
  const fields: string[] = [];
  for (const part of line.split(delimiter)) {
    const open = fields.at(-1);
    if (open !== undefined && isOpen(open)) fields[fields.length - 1] = `${open}${delimiter}${part}`;
    else fields.push(part);
  }
  return (isOpen(fields.at(-1) ?? '') ? line.split(delimiter) : fields).map(unquoted);
}

/** Whether a field begins with a quote, and lacks the last one. */
const isOpen = (field: string): boolean => /^\s*"/.test(field) && field.split('"').length % 2 === 0;

function unquoted(field: string): string {
  const [, text] = /^"(.*)"$/.exec(field.trim()) ?? [];
  return text?.replaceAll('""', '"') ?? field;
}

/** The longest line that is looked at. */
const MAX_BYTES = 4096;

/**
 * Refuses a line of dashes under the header, as in tables for people: it is no row.
 *
 * @param first bytes after the header
 * @throws RowcastError `bad_header`
 */
export function refuseRule(header: Header, first: Buffer, file: PipedFile): void {
  if (header.instead !== undefined || (first[0] !== 0x2d && first[0] !== 0x3d && first[0] !== 0x22)) return;
  const end = first.indexOf(LF);
  const text = first.toString('latin1', 0, Math.min(end === -1 ? first.length : end, MAX_BYTES)).trimEnd();
  const fields = text.split(header.dialect.delimiter);
  if (fields.length !== header.names.length || !fields.every(field => /^"?[-=]{3,}"?$/.test(field.trim())))
    return;
  const { line } = afterHeader(header);
  throw new RowcastError('bad_header', 'the line under the header has only dashes, so it is no row', {
    location: { file: file.name, line },
    hint: filteredBy(file, ...asLines(header), `sed ${line}d`),
  });
}

/**
 * Refuses an input of blank lines, or of lines with nothing but delimiters, as spreadsheets write empty rows.
 *
 * @param first bytes after the header
 * @throws RowcastError `empty_input`
 */
export function refuseBlank(header: Header, first: Buffer, file: string): void {
  const { names, instead, dialect } = header;
  if (instead !== undefined) return;
  const isBlank = (text: string): boolean =>
    [...text].every(character => character.trim() === '' || isDelimiter(character));
  const isDelimiter = (character: string): boolean =>
    character === dialect.delimiter || COMMON_DELIMITERS.some(usual => usual === character);
  if (!names.every(isBlank) || !isBlank(first.toString('latin1').replaceAll('"', ''))) return;
  const hasDelimiters = names.length > 1 || names.join('').trim() !== '';
  throw new RowcastError(
    'empty_input',
    `the input has only ${hasDelimiters ? 'delimiters and blank lines' : 'blank lines'}: no names of columns, and no values`,
    {
      isUnfinished: true,
      location: { file, line: afterHeader(header).line - 1 },
      hint: 'A CSV begins with a header that names its columns. Look at what has written the file.',
    },
  );
}

/** Columns of numbers or dates that must have other text in the line, so that a single typing error is not enough. */
const MIN_COLUMNS = 2;
/** Rows after the line that must have a value in such a column. */
const MIN_VALUES = 2;
/** Lines that may follow each other: of units, and of types or dashes. */
const MAX_UNITS_LINES = 3;

/**
 * Refuses a line of units, types or the like under the header, or several: in every column whose next rows have numbers
 * or dates, each has other text or nothing, and in no other column a text that the next rows have, too. As rows, they
 * would be scored, and in training their labels would be classes.
 *
 * @param first bytes after the header
 * @param nulls texts that stand for missing values
 * @throws RowcastError `bad_header`
 */
export function refuseUnits(header: Header, first: Buffer, nulls: readonly string[], file: PipedFile): void {
  const { names, instead, dialect } = header;
  if (instead !== undefined) return;
  const records = fieldsOfLines(first, dialect.delimiter)
    .map((fields, line) => ({ fields, line }))
    .filter(({ fields: [only = '', ...others] }) => others.length > 0 || only.trim() !== '');
  const isMissing = (text = ''): boolean => isFiller(text) || nulls.includes(text);
  for (let count = Math.min(MAX_UNITS_LINES, records.length - MIN_VALUES); count > 0; count--) {
    const units = records.slice(0, count);
    if (units.some(({ fields }) => fields.length !== names.length || isHeader(fields, names))) continue;
    const rows = records.slice(count).map(({ fields }) => fields);
    const words = wordsOfUnits(
      units.map(({ fields }) => fields),
      rows.filter(({ length }) => length === names.length),
      isMissing,
    );
    if (words !== undefined) throw unitsError(header, { units, words, file });
  }
}

/** Lines under a header, and their texts in columns of numbers and dates. */
interface Units {
  /** `line` is counted from 0 from the header on. */
  units: readonly { line: number }[];
  words: readonly string[];
  file: PipedFile;
}

function unitsError(header: Header, { units, words, file }: Units): RowcastError {
  const after = afterHeader(header).line;
  const [from = 0, to = from] = [units[0], units.at(-1)].map(each => after + (each?.line ?? 0));
  const quoted = words.slice(0, MIN_COLUMNS).map(word => `"${sanitize(word)}"`);
  return new RowcastError(
    'bad_header',
    `the line under the header has text in all columns of numbers or dates (${quoted.join(', ')}${words.length > MIN_COLUMNS ? ', …' : ''}), as a line of units has, so it is no row`,
    {
      location: { file: file.name, line: from },
      hint: `If it is a row, and these texts stand for missing values, use --nulls ${shellWord(writeRow(words).slice(0, -1))}. Otherwise: ${filteredBy(file, ...asLines(header), `sed ${from === to ? from : `${from},${to}`}d`)}`,
    },
  );
}

/** Whether a line is the header again, which is a reject of its own. */
const isHeader = (fields: readonly string[], names: readonly string[]): boolean =>
  fields.every((field, column) => field.trim().toLowerCase() === names[column]?.trim().toLowerCase());

/** @returns the texts of lines in columns of numbers and dates; undefined if the lines may be rows */
function wordsOfUnits(
  units: readonly (readonly string[])[],
  rows: readonly (readonly string[])[],
  isMissing: (text?: string) => boolean,
): string[] | undefined {
  const words: string[] = [];
  let [columns, hasOthers] = [0, false];
  for (const column of units[0]?.keys() ?? []) {
    const texts = units.map(fields => fields[column] ?? '').filter(text => !isMissing(text));
    const values = rows.map(fields => fields[column] ?? '').filter(text => !isMissing(text));
    if (values.length < MIN_VALUES || !values.every(looksLikeValue)) {
      if (texts.some(text => values.includes(text))) return undefined;
      if (texts.length > 0) hasOthers = true;
    } else if (texts.some(looksLikeValue)) return undefined;
    else {
      words.push(...texts);
      if (texts.length > 0) columns++;
    }
  }
  const different = [...new Set(words)];
  // A text that repeats in all columns may stand for a missing value, unless the line has nothing else.
  return columns >= MIN_COLUMNS && (different.length >= MIN_COLUMNS || !hasOthers) ? different : undefined;
}
