import type { Dialect } from '../../../base/parse-records.ts';
import { RecordKind } from '../../records/batch.ts';
import { CR, LF } from '../../records/line-endings.ts';

const State = { fieldStart: 0, bare: 1, quoted: 2, quoteInQuoted: 3, crAfterQuote: 4, malformed: 5 } as const;
type State = (typeof State)[keyof typeof State];

/** State of the scan of one record; it continues when more bytes arrive. */
export interface Scan {
  /** Offset of the next byte to look at. */
  at: number;
  state: State;
  kind: RecordKind;
  /** Offset of the last opening quote. */
  quoteAt: number;
}

export const newScan = (at: number): Scan => ({
  at,
  state: State.fieldStart,
  kind: RecordKind.plain,
  quoteAt: at,
});

/** True while a quoted field is open: the end of the input here is an error. */
export const quoteIsOpen = (scan: Scan): boolean => scan.state === State.quoted;

/**
 * Scans one record byte by byte: the CSV rules of docs/design.md.
 *
 * A quote opens only at a field's start. Text after a closing quote makes the record malformed up to the next
 * line ending, quotes or not, so that the records after it are not affected.
 *
 * @param last whether no more bytes will come
 * @returns the offset after the record's line ending, or -1 if more bytes are needed
 */
export function scanRecord(scan: Scan, bytes: Uint8Array, last: boolean, dialect: Dialect): number {
  const { length } = bytes;
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote?.charCodeAt(0);
  const escaper = dialect.escape?.charCodeAt(0) ?? -1;
  let { at, state } = scan;
  for (; at < length; at++) {
    const byte = bytes[at];
    if (state === State.quoted) {
      if (byte === quote) state = State.quoteInQuoted;
      else if (byte === escaper) {
        // What it escapes, if anything, may be in the next chunk.
        if (at + 1 === length && !last) break;
        const next = bytes[at + 1];
        if (next === quote || next === escaper) at++;
      }
      continue;
    }
    if (state === State.quoteInQuoted && byte === quote) {
      state = State.quoted;
      continue;
    }
    if (byte === LF) return at + 1;
    if (byte === CR && dialect.loneCr) {
      if (at + 1 < length) return bytes[at + 1] === LF ? at + 2 : at + 1;
      if (last) return at + 1;
      break;
    }
    switch (state) {
      case State.fieldStart:
        if (byte === quote) {
          state = State.quoted;
          scan.kind = RecordKind.quoted;
          scan.quoteAt = at;
        } else if (byte !== delimiter) state = State.bare;
        break;
      case State.bare:
        if (byte === delimiter) state = State.fieldStart;
        break;
      case State.quoteInQuoted:
        if (byte === delimiter) state = State.fieldStart;
        else state = byte === CR ? State.crAfterQuote : State.malformed;
        break;
      case State.crAfterQuote:
        state = State.malformed;
        break;
      case State.malformed:
        break;
    }
    if (state === State.malformed) scan.kind = RecordKind.malformed;
  }
  scan.at = at;
  scan.state = state;
  if (!last || state === State.quoted) return -1;
  if (state === State.crAfterQuote) scan.kind = RecordKind.malformed;
  return length;
}
