import type { Dialect } from '../../base/parse-records.ts';
import { StringScanner } from '../json/scan-string.ts';

/** A member of an object, in the bytes of that. */
export interface MemberAt {
  readonly name: string;
  /** Where its name begins, with the quote, and ends. */
  readonly start: number;
  readonly nameEnd: number;
  /** Where its value begins and ends. */
  readonly value: number;
  readonly end: number;
}

const [QUOTE, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d];

/** The members of the well-formed object `bytes[start, end)`, in order. */
export function membersOf(bytes: Buffer, start: number, end: number): MemberAt[] {
  const strings = new StringScanner();
  const found: MemberAt[] = [];
  let at = bytes.indexOf(OPEN, start) + 1;
  for (;;) {
    at = bytes.indexOf(QUOTE, at);
    if (at === -1 || at >= end) return found;
    const name = at;
    strings.scan(bytes, at);
    const nameEnd = strings.end;
    at = bytes.indexOf(':', nameEnd) + 1;
    while (isSpace(bytes[at])) at++;
    const value = at;
    at = valueEnd(bytes, at, end, strings);
    let valueStop = at;
    while (isSpace(bytes[valueStop - 1])) valueStop--;
    found.push({
      name: JSON.parse(bytes.toString('utf8', name, nameEnd)),
      start: name,
      nameEnd,
      value,
      end: valueStop,
    });
    if (bytes[at] !== COMMA) return found;
  }
}

/** Where the comma or brace after a value is. */
function valueEnd(bytes: Buffer, start: number, end: number, strings: StringScanner): number {
  let depth = 0;
  for (let at = start; at < end; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      strings.scan(bytes, at);
      at = strings.end;
      continue;
    }
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    if (depth === 0 && (byte === COMMA || byte === CLOSE)) return at;
    if (byte === CLOSE || byte === CLOSE_LIST) depth--;
    at++;
  }
  return end;
}

export const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** Lines as records without fields; they end with LF or CRLF. */
export const lines: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };

/** `NaN` and infinities where a value is, as Python and other programs write them. */
const NOT_FINITE = /(?<=[:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g;

/**
 * Parses a line as `ObjectReader` reads it: NaN and infinities, which JSON does not have, are null.
 *
 * @throws SyntaxError
 */
export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(NOT_FINITE, 'null'));
  }
}
