import { parse } from 'csv-parse/sync';

/** How a CSV is written. LF and CRLF both end records, mixed freely, so line endings are not part of it. */
export interface Dialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** One ASCII character, or undefined for a file without quoting. */
  readonly quote: string | undefined;
  /** What escapes a quote within quotes, besides a second quote, and itself. */
  readonly escape?: string;
  /** The first record ends in a lone CR: then a lone CR ends records too. Elsewhere it is data. */
  readonly loneCr: boolean;
}

/** A CSV with commas, in which quotes are doubled: what is made of other formats, and lists in options. */
export const COMMAS: Dialect = { delimiter: ',', quote: '"', loneCr: false };

/** csv-parse over whole records, with the settings that express the CSV rules of docs/design.md. */
export function parseRecords(records: string, dialect: Dialect): string[][] {
  const text = dialect.escape === undefined ? records : withDoubledQuotes(records, dialect);
  return parse(text, {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? null,
    escape: dialect.quote ?? null,
    record_delimiter: dialect.loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
  });
}

/** The same records with quotes that are escaped by another quote. Outside quotes, the character is data. */
function withDoubledQuotes(
  records: string,
  { delimiter, quote = '', escape: escaper = '', loneCr }: Dialect,
): string {
  let text = '';
  let isQuoted = false;
  for (let at = 0; at < records.length; at++) {
    const character = records.charAt(at);
    const next = records.charAt(at + 1);
    if (isQuoted && character === escaper && (next === quote || next === escaper)) {
      text += next === quote ? quote + quote : escaper;
      at++;
      continue;
    }
    if (character === quote) {
      const before = records.charAt(at - 1);
      const opens =
        at === 0 ||
        before === delimiter ||
        before === '\n' ||
        (before === '\r' && loneCr) ||
        before === '\ufeff';
      if (isQuoted && next === quote) {
        text += quote + quote;
        at++;
        continue;
      }
      isQuoted = !isQuoted && opens;
    }
    text += character;
  }
  return text;
}
