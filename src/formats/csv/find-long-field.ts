import type { Dialect } from '../../base/parse-records.ts';
import { countLines } from '../records/line-endings.ts';
import type { LongField } from '../records/read-batches.ts';
import { closingQuote } from './fields/count-fields.ts';
import type { Header } from './header.ts';

/**
 * Longer fields are reported. Documents in a cell are usually shorter; a stray quote in a large file soon exceeds both.
 */
const MAX_BYTES = 64 << 10;
const MAX_LINES = 100;

/**
 * Whether a record may hold such a field.
 *
 * @param bytes size of the record
 * @param endings number of line endings in it
 */
export const mayHoldLongField = (bytes: number, endings: number): boolean =>
  bytes > MAX_BYTES || endings >= MAX_LINES;

/** The first quoted field of the record `bytes[start, end)` that is too long, and the offset of its quote. */
export function findLongField(
  bytes: Uint8Array,
  start: number,
  end: number,
  dialect: Dialect,
): (Pick<LongField, 'bytes' | 'lines'> & { at: number }) | undefined {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote?.charCodeAt(0);
  for (let at = start; at < end; at++) {
    if (bytes[at] === quote) {
      const close = closingQuote(bytes, at, end, dialect.escape?.charCodeAt(0) ?? -1);
      const size = close - at - 1;
      const lines = 1 + (size < MAX_LINES ? 0 : countLines(bytes, at, close, dialect));
      if (size > MAX_BYTES || lines > MAX_LINES) return { at, bytes: size, lines };
      at = close;
    }
    while (at < end && bytes[at] !== delimiter) at++;
  }
  return undefined;
}

/** Finds such a field in a header: it may have swallowed rows, too. */
export function longFieldOfHeader({
  bytes,
  contentStart,
  contentEnd,
  lines,
  dialect,
}: Header): LongField | undefined {
  if (!mayHoldLongField(bytes.length, lines)) return undefined;
  const found = findLongField(bytes, contentStart, contentEnd, dialect);
  if (found === undefined) return undefined;
  const line = 1 + countLines(bytes, 0, found.at, dialect);
  return { line, row: 0, bytes: found.bytes, lines: found.lines };
}
