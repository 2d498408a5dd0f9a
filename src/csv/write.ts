import { stringify } from 'csv-stringify/sync';

/** One CSV line: the fields, quoted where they need it, and a LF. */
export function writeRow(fields: readonly string[]): string {
  return stringify([[...fields]]);
}
