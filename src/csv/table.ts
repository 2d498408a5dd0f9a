import { parse } from 'csv-parse/sync';
import { RowcastError } from '../errors.ts';

/** A whole CSV in memory: what training reads. Throws RowcastError where the bytes are not a rectangular CSV. */
export function readTable(
  bytes: Buffer,
  options: { file: string; delimiter?: string },
): { header: string[]; rows: string[][] } {
  let records: string[][];
  try {
    records = parse(bytes, {
      bom: true,
      delimiter: options.delimiter ?? ',',
      record_delimiter: ['\r\n', '\n'],
      relax_quotes: true,
      skip_empty_lines: true,
    });
  } catch (cause) {
    throw new RowcastError('malformed_record', `${options.file} is not a CSV that can be read: ${cause}`, {
      place: { file: options.file },
      cause,
    });
  }
  const [header, ...rows] = records;
  if (header === undefined) {
    throw new RowcastError('empty_input', `${options.file} is empty.`, { place: { file: options.file } });
  }
  return { header, rows };
}
