import { parse } from 'csv-parse/sync';

/** How the records of a CSV are written. */
export interface RecordSyntax {
  delimiter: string;
  /** Undefined if fields are not quoted. */
  quote: string | undefined;
  /** Whether a single carriage return ends a record. */
  loneCr: boolean;
}

/** csv-parse over whole records, with the settings that express the CSV rules of docs/design.md. */
export function parseRecords(text: string, dialect: RecordSyntax): string[][] {
  return parse(text, {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? null,
    escape: dialect.quote ?? null,
    record_delimiter: dialect.loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
  });
}
