import {
  controlBytes,
  copyBytes,
  matches,
  repeatByte,
  type WordView,
} from '../../formats/bytes/word-view.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const FIRST_PRINTABLE = 0x20;

const QUOTES = repeatByte(QUOTE);
const COMMAS = repeatByte(COMMA);

/**
 * Writes the UTF-8 text `from[start, end)` as a field of a CSV (RFC 4180), in quotes only if it contains a comma, a quote or
 * a control character, such as a line break. There must be room for twice its bytes and two quotes.
 *
 * @returns the offset after the last byte written
 */
export function writeField(out: WordView, to: number, from: WordView, start: number, end: number): number {
  if (!needsQuotes(from, start, end)) return copyBytes(from, start, end, out, to);
  const { bytes } = from;
  const { view } = out;
  let at = to;
  view.setUint8(at++, QUOTE);
  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) view.setUint8(at++, QUOTE);
    view.setUint8(at++, byte);
  }
  view.setUint8(at++, QUOTE);
  return at;
}

function needsQuotes({ view }: WordView, start: number, end: number): boolean {
  let index = start;
  for (; index + 4 <= end; index += 4) {
    const word = view.getInt32(index, true);
    if ((controlBytes(word) | matches(word, QUOTES) | matches(word, COMMAS)) !== 0) return true;
  }
  for (; index < end; index++) {
    const byte = view.getUint8(index);
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === COMMA) return true;
  }
  return false;
}
