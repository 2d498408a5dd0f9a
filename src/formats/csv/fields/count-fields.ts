import type { Dialect } from '../../../base/parse-records.ts';
import type { Fault } from '../../records/faults.ts';
import { CR, contentEnd, countLines, LF } from '../../records/line-endings.ts';

/** Offset of the quote that closes the field whose quote is at `open`, or `end`; an escaped quote is data. */
export function closingQuote(bytes: Uint8Array, open: number, end: number, escaper: number): number {
  const quote = bytes[open];
  for (let at = open + 1; at < end; at++)
    if (bytes[at] === escaper) {
      if (bytes[at + 1] === quote || bytes[at + 1] === escaper) at++;
    } else if (bytes[at] === quote) {
      if (at + 1 === end || bytes[at + 1] !== quote) return at;
      at++;
    }
  return end;
}

/** Offset at which the field that begins at `start` ends: at a delimiter, or at the record's `end`. */
export function fieldEnd(bytes: Uint8Array, start: number, end: number, dialect: Dialect): number {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote?.charCodeAt(0);
  const isQuoted = quote !== undefined && start < end && bytes[start] === quote;
  let at = isQuoted ? closingQuote(bytes, start, end, dialect.escape?.charCodeAt(0) ?? -1) : start;
  while (at < end && bytes[at] !== delimiter) at++;
  return at;
}

const [COMMA, QUOTE] = [0x2c, 0x22];

/**
 * Whether a text needs quotes in a CSV with commas: also if it is empty, because a missing value is empty without them.
 */
export function needsQuotes(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === COMMA || byte === LF || byte === CR) return true;
  }
  return start === end;
}

/** Number of fields in the record `bytes[start, end)`; none is decoded. */
export function countFields(bytes: Uint8Array, start: number, end: number, dialect: Dialect): number {
  let fields = 1;
  if (dialect.quote === undefined) {
    const delimiter = dialect.delimiter.charCodeAt(0);
    for (let at = start; at < end; at++) if (bytes[at] === delimiter) fields++;
    return fields;
  }
  for (let at = fieldEnd(bytes, start, end, dialect); at < end; fields++)
    at = fieldEnd(bytes, at + 1, end, dialect);
  return fields;
}

const BACKSLASH = 0x5c;

/**
 * The fault of the record `bytes[start, end)`, with what it says of itself: over how many lines it goes, because other
 * rows may be in it, and whether a backslash may have been meant to escape its quotes.
 */
export function faultOfRecord(
  fault: Fault,
  bytes: Buffer,
  start: number,
  end: number,
  dialect: Dialect,
): Fault {
  const { quote } = dialect;
  if (quote === undefined) return fault;
  const content = contentEnd(bytes, start, end, dialect);
  const isLong = dialect.loneCr || isBefore(bytes.indexOf(LF, start), content);
  const lines = isLong ? 1 + countLines(bytes, start, content, dialect) : 1;
  const hasBackslash = dialect.escape === undefined && isEscaped(bytes, start, content, quote.charCodeAt(0));
  if (lines === 1 && !hasBackslash) return fault;
  return {
    ...fault,
    ...(lines > 1 && { reason: `${fault.reason}; it goes over ${lines} lines`, lines }),
    ...(hasBackslash && { hint: "if a backslash escapes quotes, use --escape '\\'" }),
  };
}

const isBefore = (found: number, end: number): boolean => found !== -1 && found < end;

/** Whether a quote comes after a backslash. */
function isEscaped(bytes: Buffer, start: number, end: number, quote: number): boolean {
  for (let at = bytes.indexOf(BACKSLASH, start); isBefore(at, end - 1); at = bytes.indexOf(BACKSLASH, at + 1))
    if (bytes[at + 1] === quote) return true;
  return false;
}
