import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { PipedFile } from '../../base/shell-pipe.ts';
import { shellWord } from '../../base/shell-word.ts';
import { writeRow } from '../../base/write-row.ts';
import { filteredBy } from '../filtered-by.ts';
import { isFiller, looksLikeValue } from '../refuse-row-as-header.ts';
import { afterHeader, asLines, type Header } from './header.ts';
import { fieldsOfLines } from './later-header.ts';

/** Columns of numbers or dates that must have other text in the line, so that a single typing error is not enough. */
const MIN_COLUMNS = 2;
/** Rows after the line that must have a value in such a column. */
const MIN_VALUES = 2;
/** Lines that may follow each other: of units, and of types or dashes. */
const MAX_LINES = 3;

/**
 * Refuses a line of units, types or the like under the header, or several: in every column whose next rows have numbers or dates,
 * each has other text or nothing, and in no other column a text that the next rows have, too. As rows, they would be scored, and in
 * training their labels would be classes.
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
  for (let count = Math.min(MAX_LINES, records.length - MIN_VALUES); count > 0; count--) {
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
      hint: `${filteredBy(file, ...asLines(header), `sed ${from === to ? from : `${from},${to}`}d`)} If it is a row, and these texts stand for missing values, use --nulls ${shellWord(writeRow(words).slice(0, -1))}`,
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
  // The same text in all columns may be one for missing values, unless there is nothing else in the line.
  return columns >= MIN_COLUMNS && (different.length >= MIN_COLUMNS || !hasOthers) ? different : undefined;
}
