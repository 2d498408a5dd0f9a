import { stringify } from 'csv-stringify/sync';
import { RowcastError } from './errors.ts';
import { COMMAS, type Dialect } from './parse-records.ts';
import { sanitize } from './sanitize.ts';

/**
 * Formats fields as one record, ending in LF. Only fields that need quotes are quoted.
 *
 * @throws RowcastError `cannot_quote` if a field needs quotes and the dialect has none
 */
export function writeRow(fields: readonly string[], dialect: Dialect = COMMAS): string {
  const needsQuotes = new RegExp(
    `[\\r\\n${escapeClass(dialect.delimiter + (dialect.quote ?? '') + (dialect.escape ?? ''))}]`,
  );
  if (dialect.quote === undefined) {
    const field = fields.find(field => needsQuotes.test(field));
    if (field !== undefined)
      throw new RowcastError(
        'cannot_quote',
        `${sanitize(JSON.stringify(field))} cannot be written without quotes`,
        {
          hint: 'Leave out --quote none, or choose another --delimiter.',
        },
      );
    return `${fields.join(dialect.delimiter)}\n`;
  }
  return stringify([[...fields]], {
    delimiter: dialect.delimiter,
    quote: dialect.quote,
    escape: dialect.escape ?? dialect.quote,
    quoted_match: needsQuotes,
    record_delimiter: '\n',
  });
}

const escapeClass = (characters: string): string => characters.replace(/[\\\]^-]/g, '\\$&');
