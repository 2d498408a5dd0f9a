/**
 * Bytes, and the same as 32-bit words at any offset: what looks at four bytes at once takes half the time of a loop
 * over single ones. The first byte is a word's lowest.
 */
export interface WordView {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export const wordView = (bytes: Buffer): WordView => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
});

/** Up to so many bytes a loop is faster than a call, which makes a view first (Node's `Buffer.copy`). */
const MAX_LOOP_BYTES = 320;

/**
 * Copies `from[start, end)` to `into[at…]`.
 *
 * @returns the offset just past it
 */
export function copyBytes(from: WordView, start: number, end: number, into: WordView, at: number): number {
  if (end - start > MAX_LOOP_BYTES) return at + from.bytes.copy(into.bytes, at, start, end);
  const { view: source } = from;
  const { view: target } = into;
  let index = start;
  let to = at;
  for (; index + 4 <= end; index += 4) {
    target.setInt32(to, source.getInt32(index, true), true);
    to += 4;
  }
  while (index < end) target.setUint8(to++, source.getUint8(index++));
  return to;
}

const LOW_BITS = 0x7f7f7f7f;

/** A byte four times. */
export const repeatByte = (byte: number): number => Math.imul(byte, 0x01010101);

/**
 * Where a word has a byte: the highest bit of each that is it, and of no other (Warren, Hacker's Delight, 2nd edition,
 * section 6-1, "Find First 0-Byte").
 *
 * @param bytes the byte, repeated
 */
export function matches(word: number, bytes: number): number {
  const zeros = word ^ bytes;
  return ~(((zeros & LOW_BITS) + LOW_BITS) | zeros | LOW_BITS);
}

/** Which of a word's bytes the first match is in, 0 to 3. */
export const firstMatch = (found: number): number => (31 - Math.clz32(found & -found)) >> 3;

/** Where a word has bytes under 32: the highest bit of each, as `matches`. Above the first there may be others too. */
export const controlBytes = (word: number): number => (word - 0x20202020) & ~word & ~LOW_BITS;
