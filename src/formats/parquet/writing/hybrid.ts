/** The levels of rows in the hybrid of run-length encoding and bit-packing: 1 for each that has a value, and 0 for others. */
export const levelsOf = (present: ArrayLike<number>): Buffer => writeHybrid(present, 1);

/** The levels of rows that all have values. */
export const allPresent = (rows: number): Buffer => Buffer.concat([varint(2 * rows), Buffer.of(1)]);

/** Writes numbers of some bits, from 1 to 24, as a single run: packed, or the number that all are. */
export function writeHybrid(numbers: ArrayLike<number>, bits: number): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  const first = numbers[0] ?? 0;
  let isRepeated = true;
  for (let index = 0; isRepeated && index < numbers.length; index++) isRepeated = numbers[index] === first;
  if (isRepeated) {
    const value = Buffer.alloc(Math.ceil(bits / 8));
    value.writeUIntLE(first, 0, value.length);
    return Buffer.concat([varint(2 * numbers.length), value]);
  }
  const groups = Math.ceil(numbers.length / 8);
  const head = varint(2 * groups + 1);
  const bytes = Buffer.alloc(head.length + groups * bits);
  head.copy(bytes);
  let at = head.length;
  let [held, size] = [0, 0];
  for (let index = 0; index < numbers.length; index++) {
    held |= (numbers[index] as number) << size;
    size += bits;
    for (; size >= 8; size -= 8) {
      bytes[at++] = held & 255;
      held >>>= 8;
    }
  }
  if (size > 0) bytes[at] = held & 255;
  return bytes;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
