import type { Dialect } from '../../../base/parse-records.ts';
import type { Fault } from '../../records/faults.ts';
import { contentEnd, countLines, LF } from '../../records/line-endings.ts';

const BACKSLASH = 0x5c;

/**
 * The fault of the record `bytes[start, end)`, with what it says of itself: over how many lines it goes, because other rows may
 * be in it, and whether a backslash may have been meant to escape its quotes.
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
