/** A buffer with the same first `length` bytes and room for more. The size doubles, so that little is copied twice. */
export function withRoom(buffer: Buffer, length: number, more: number): Buffer {
  if (length + more <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(2 * (length + more));
  buffer.copy(larger, 0, 0, length);
  return larger;
}
