import type { Dialect } from '../../base/parse-records.ts';
import { LF } from '../records/line-endings.ts';

/** Lines as records without fields; they end with LF or CRLF. */
export const lines: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };

/** Counts the lines that end in `bytes[start, end)`. They are long, so searching for their ends is faster than a loop over the bytes. */
export function countLineFeeds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LF, start); at !== -1 && at < end; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}
