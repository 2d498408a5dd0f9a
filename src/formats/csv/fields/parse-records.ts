import { parse } from 'csv-parse/sync';
import type { Dialect } from '../dialect.ts';

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
