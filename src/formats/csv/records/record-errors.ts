import { type Location, RowcastError } from '../../../base/errors.ts';
import { countOf } from '../../../base/number-text.ts';

/** @param location where the record begins */
export function recordTooLong(location: Location, maxRecordBytes: number): RowcastError {
  return new RowcastError('record_too_long', `the record is longer than ${countOf(maxRecordBytes, 'byte')}`, {
    severity: 'stopped',
    location,
    hint: 'If that is intended, use a larger --max-record-bytes.',
  });
}

/**
 * @param location where the quote opens
 * @param maxRecordBytes if the record exceeds it; undefined: the file ended
 */
export function unclosedQuote(location: Location, maxRecordBytes?: number): RowcastError {
  const where =
    maxRecordBytes === undefined ? 'before the end of the file' : `within ${countOf(maxRecordBytes, 'byte')}`;
  const longer = maxRecordBytes === undefined ? '' : '; for longer fields, use a larger --max-record-bytes';
  return new RowcastError('unclosed_quote', `the quote that opens on this line is not closed ${where}`, {
    severity: 'stopped',
    location,
    hint: `Close the quote. For a file without quoting, use --quote none (with --restart if there is an unfinished run)${longer}.`,
  });
}

/** @param location of the header line */
export const otherHeader = (location: Location): RowcastError =>
  new RowcastError('other_header', 'this line is a header with the same columns in another order', {
    severity: 'stopped',
    location,
    needsRestart: true,
    hint: 'The values after it would be read as those of other columns: make two files of the input, the second of which begins with this line; or put the columns after it in the order of the first header.',
  });
