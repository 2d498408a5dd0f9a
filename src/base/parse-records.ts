import { parse } from 'csv-parse/sync';

/** How a CSV is written. LF and CRLF both end records, mixed freely, so line endings are not part of it. */
export interface Dialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** One ASCII character, or undefined for a file without quoting. */
  readonly quote: string | undefined;
  /** The first record ends in a lone CR: then a lone CR ends records too. Elsewhere it is data. */
  readonly loneCr: boolean;
}

/** csv-parse over whole records, with the settings that express the CSV rules of docs/design.md. */
export function parseRecords(text: string, dialect: Dialect): string[][] {
  return parse(text, {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? null,
    escape: dialect.quote ?? null,
    record_delimiter: dialect.loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
  });
}
