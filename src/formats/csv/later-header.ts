import { looksLikeValue } from '../refuse-row-as-header.ts';
import { COMMON_DELIMITERS, type Header } from './header.ts';

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
 * @param wanted the names that it must have; if there are none, it must have names, and the lines after it as many columns
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

const isNames = (row: readonly string[]): boolean =>
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
