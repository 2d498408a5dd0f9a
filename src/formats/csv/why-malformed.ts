import { countOf } from '../../base/number-text.ts';
import { parseRecords } from '../../base/parse-records.ts';
import { filteredBy, type PipedFile } from '../../base/shell-pipe.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type MalformedCause, type MalformedRecord, mostFrequentCause } from '../records/reject.ts';
import { looksLikeValue } from '../refuse-row-as-header.ts';
import { isNames } from './first-lines.ts';
import { asLines, type Header } from './header.ts';

/**
 * Why the records of a CSV are malformed.
 *
 * @param records in input order
 * @param file for the command
 */
export function whyMalformed(
  header: Header,
  records: readonly MalformedRecord[],
  file: PipedFile,
): MalformedCause {
  const { names, dialect, instead } = header;
  const ragged = records.filter(({ code }) => code === 'too_many_fields' || code === 'too_few_fields');
  const { length: width } = names;
  const [example] = ragged;
  const empty = records.filter(({ code }) => code === 'empty_record');
  if (2 * empty.length > records.length)
    return {
      cause: `the fields of ${empty.length === records.length ? 'each record' : 'most records'} are all empty`,
      remedy: filteredBy(file, ...withoutEmpty(header)),
      example: empty[0],
    };
  if (2 * ragged.length <= records.length || instead !== undefined)
    return mostFrequentCause(records, CHECK_DIALECT);
  const rows = ragged.map(({ record }) => parseRecords(record.toString(), dialect)[0] ?? []);
  const each = ragged.length === records.length ? 'each record has' : 'most records have';
  const hasOneMore = rows.every(row => row.length === width + 1);
  if (hasOneMore && rows.every(row => row.at(-1) === ''))
    return {
      cause: `${each} one field more than the header, and it is empty`,
      remedy: filteredBy(file, ...withoutLast(header)),
      example,
    };
  if (hasOneMore && areIndexes(rows.map(([first = '']) => first)))
    return {
      cause: `${each} one field more than the header: the first one is a different number in each, so the header lacks the name of an index`,
      remedy: filteredBy(file, ...withIndexName(header, file)),
      example,
    };
  const later = laterHeader(rows);
  const line = ragged[later]?.line;
  if (line !== undefined)
    return {
      cause: `line ${line} has ${countOf(rows[later]?.length ?? 0, 'column')}, as the rows after it have, so the header is not the line that was read as it`,
      remedy: `If line ${line} is the header, use --skip-lines ${line - 1}.`,
      example: ragged[later],
    };
  return mostFrequentCause(records, CHECK_DIALECT);
}

const CHECK_DIALECT =
  'Look at the first lines of the input: check --delimiter and --quote, and that the header is the first line (--skip-lines leaves out lines before it).';

/** Whether these are whole numbers none of which occurs twice. */
const areIndexes = (texts: readonly string[]): boolean =>
  texts.length > 1 && new Set(texts).size === texts.length && texts.every(text => /^\d+$/.test(text));

/** The index of a row that has names, before rows with as many fields that have values; -1 if there is none. */
function laterHeader(rows: readonly (readonly string[])[]): number {
  const index = rows.findIndex(isNames);
  const after = rows.slice(index + 1);
  const areRows =
    after.length > 0 && after.every(row => row.length === rows[index]?.length && row.some(looksLikeValue));
  return areRows ? index : -1;
}

/** A command that leaves out lines of delimiters only. */
function withoutEmpty(header: Header): string[] {
  const { bytes, contentEnd, dialect, before } = header;
  // In a list of characters, these two mean themselves only at its start and at its end.
  const place = (character: string): number => Number(character === '-') - Number(character === ']');
  const empty = [' ', dialect.delimiter, dialect.quote ?? ''].sort((a, b) => place(a) - place(b));
  const pattern = `^[${empty.join('')}]*$`;
  // Lines before the header are counted, so empty ones stay.
  const filter =
    before === undefined
      ? `grep -v ${shellWord(pattern)}`
      : `sed ${shellWord(`${1 + before.lines},\${/${pattern}/d;}`)}`;
  return bytes.length - contentEnd === 2 ? ["tr -d '\\r'", filter] : [...asLines(header), filter];
}

/** A command that removes the delimiter at the end of each line. */
function withoutLast(header: Header): string[] {
  const { bytes, contentEnd, dialect } = header;
  const filter = `sed ${shellWord(`s/${basicRegExp(dialect.delimiter)}$//`)}`;
  return bytes.length - contentEnd === 2 ? ["tr -d '\\r'", filter] : [...asLines(header), filter];
}

/** A command that gives the first column a name. */
function withIndexName(header: Header, { decodedBy = [] }: PipedFile): string[] {
  const { contentStart, dialect, before } = header;
  const name = `${1 + (before?.lines ?? 0)}s/^/index${dialect.delimiter.replace(/[/&\\]/, '\\$&')}/`;
  // The name goes behind a byte order mark, which is left out. iconv has done so where the mark tells it the byte
  // order.
  const isLeftOut = decodedBy.some(command => command.startsWith('iconv -f utf-16 '));
  const start = contentStart > 0 && !isLeftOut ? ['tail -c +4'] : [];
  return [...start, ...asLines(header), `sed ${shellWord(name)}`];
}

/** A character in a regular expression of sed. */
const basicRegExp = (character: string): string =>
  /[.*[\]^$\\/]/.test(character) ? `\\${character}` : character;
