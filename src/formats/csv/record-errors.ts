import { type Location, RowcastError } from '../../errors.ts';

/** @param place where the record begins */
export function recordTooLong(place: Location, maxRecordBytes: number): RowcastError {
  return new RowcastError('record_too_long', `the record is longer than ${maxRecordBytes} bytes`, {
    consequence: 'stopped',
    location: place,
    hint: 'If it is meant to be, give a larger --max-record-bytes.',
  });
}

/** @param place where the quote opens */
export function unclosedQuote(place: Location, maxRecordBytes: number): RowcastError {
  return new RowcastError(
    'unclosed_quote',
    `the quote that opens on this line is not closed within the file and ${maxRecordBytes} bytes`,
    {
      consequence: 'stopped',
      location: place,
      hint: 'Close it. For a file without quoting, give --quote none (with --restart if a run is unfinished); for longer fields, a larger --max-record-bytes.',
    },
  );
}
