/**
 * Reads numbers of some bits in the hybrid of run-length encoding and bit-packing (Encodings.md of the Parquet format).
 *
 * @param into as many as are wanted
 * @param bits of each, at most 24
 * @param limit that they must be less than
 * @returns the offset after them
 * @throws RangeError if there are fewer, or one is too large
 */
export function readHybrid(
  bytes: Uint8Array,
  start: number,
  end: number,
  bits: number,
  into: Int32Array,
  limit: number,
): number {
  const mask = 2 ** bits - 1;
  const runBytes = (bits + 7) >> 3;
  let at = start;
  let count = 0;
  while (count < into.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= end || shift > 28) throw new RangeError('levels are cut off');
      const byte = bytes[at++] as number;
      header |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    header >>>= 0;
    if ((header & 1) === 0) {
      let value = 0;
      if (at + runBytes > end) throw new RangeError('levels are cut off');
      for (let byte = 0; byte < runBytes; byte++) value |= (bytes[at++] as number) << (8 * byte);
      const until = Math.min(into.length, count + (header >>> 1));
      if (until === count) throw new RangeError('a run is empty');
      if ((value & mask) >= limit) throw new RangeError('a value is not in its dictionary');
      into.fill(value & mask, count, until);
      count = until;
      continue;
    }
    const packed = (header >>> 1) * bits;
    const last = Math.min(into.length, count + (header >>> 1) * 8);
    // The last group may lack the bytes of the values that are not wanted.
    if (last === count || at + Math.ceil(((last - count) * bits) / 8) > end)
      throw new RangeError('levels are cut off');
    let held = 0;
    let size = 0;
    let from = at;
    let largest = 0;
    for (; count < last; count++) {
      while (size < bits) {
        held |= (bytes[from++] as number) << size;
        size += 8;
      }
      const value = held & mask;
      if (value > largest) largest = value;
      into[count] = value;
      held >>>= bits;
      size -= bits;
    }
    if (largest >= limit) throw new RangeError('a value is not in its dictionary');
    at += packed;
  }
  return Math.min(at, end);
}

/**
 * Whether numbers are a single run of one value, at least as many as are wanted.
 *
 * @param value at most 255, which takes one byte; false for others
 */
function isRun(bytes: Uint8Array, start: number, end: number, count: number, value: number): boolean {
  let header = 0;
  let at = start;
  for (let shift = 0; shift <= 28 && at < end; shift += 7) {
    const byte = bytes[at++] as number;
    header |= (byte & 127) << shift;
    if (byte >= 128) continue;
    return (header & 1) === 0 && header >>> 1 >= count && at < end && bytes[at] === value;
  }
  return false;
}

/**
 * Reads which values are there: of a member of a struct, those whose level is the highest.
 *
 * @returns undefined if all are
 */
export function readLevels(
  bytes: Buffer,
  [start, end]: readonly [number, number],
  values: number,
  level: number,
): Int32Array | undefined {
  if (end > bytes.length) throw new Error('levels are cut off');
  if (isRun(bytes, start, end, values, level)) return undefined;
  const levels = new Int32Array(values);
  readHybrid(bytes, start, end, 32 - Math.clz32(level), levels, level + 1);
  if (level > 1) for (let row = 0; row < values; row++) levels[row] = levels[row] === level ? 1 : 0;
  return levels;
}

export function countPresent(levels: Int32Array | undefined, values: number): number {
  if (levels === undefined) return values;
  let present = 0;
  for (const level of levels) present += level;
  return present;
}
