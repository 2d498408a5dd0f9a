/**
 * Bytes that can also be read as little-endian 32-bit words at any offset. Processing four bytes at once takes half the
 * time of a loop over single bytes.
 */
export interface WordView {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export const wordView = (bytes: Buffer): WordView => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
});

/** The UTF-8 bytes of a text. */
export const textView = (text: string): WordView => wordView(Buffer.from(text));

/** Up to this size, a loop is faster than Node's `Buffer.copy`, which creates a view first. */
const MAX_LOOP_BYTES = 320;

/**
 * Copies `from[start, end)` to `into[at…]`.
 *
 * @returns the offset after the last byte written
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

/** A word with the byte repeated four times. */
export const repeatByte = (byte: number): number => Math.imul(byte, 0x01010101);

/**
 * Finds a byte in a word: sets the highest bit of each matching byte, and no other bit (Warren, Hacker's Delight,
 * 2nd edition, section 6-1, "Find First 0-Byte").
 *
 * @param bytes the byte, repeated
 */
export function matches(word: number, bytes: number): number {
  const zeros = word ^ bytes;
  return ~(((zeros & LOW_BITS) + LOW_BITS) | zeros | LOW_BITS);
}

/** Index of the first matching byte, 0 to 3. */
export const firstMatch = (found: number): number => (31 - Math.clz32(found & -found)) >> 3;

/** Finds bytes below 32 in the same way. Only the first match is exact; bits above it may be wrong. */
export const controlBytes = (word: number): number => (word - 0x20202020) & ~word & ~LOW_BITS;

/** A buffer with the same first `length` bytes and as many more. The size doubles, so that little is copied twice. */
export function enlargedBuffer(buffer: Buffer, length: number, more: number): Buffer {
  if (length + more <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(2 * (length + more));
  buffer.copy(larger, 0, 0, length);
  return larger;
}
