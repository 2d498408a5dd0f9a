import type { Dialect } from '../../../base/parse-records.ts';

/** Offset at which the field that begins at `start` ends: at a delimiter, or at the record's `end`. */
export function fieldEnd(bytes: Uint8Array, start: number, end: number, dialect: Dialect): number {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote?.charCodeAt(0);
  const escaper = dialect.escape?.charCodeAt(0) ?? -1;
  let at = start;
  if (quote !== undefined && at < end && bytes[at] === quote) {
    // Skip to the closing quote; an escaped quote is data.
    for (at++; at < end; at++)
      if (bytes[at] === escaper) {
        if (bytes[at + 1] === quote || bytes[at + 1] === escaper) at++;
      } else if (bytes[at] === quote) {
        if (bytes[at + 1] !== quote || at + 1 === end) break;
        at++;
      }
  }
  while (at < end && bytes[at] !== delimiter) at++;
  return at;
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
