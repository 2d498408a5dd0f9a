// As `readHybrid` in src/formats/parquet/text/levels.ts.

/** Numbers of some bits in the hybrid of run-length encoding and bit-packing, which are read a part at a time. */
@unmanaged
class Codes {
  /** Where the next run begins. */
  at: usize;
  end: usize;
  bits: i32;
  /** Numbers that are left of a run. */
  left: i32;
  /** The number that the run repeats; -1 if its numbers are packed. */
  repeated: i32;
  /** Where the numbers of a packed run are, and how many of its bits were read. */
  packed: usize;
  bit: i32;
}

/**
 * Reads the next numbers.
 *
 * @param into 0 to check them only
 * @param limit that they must be less than
 * @returns whether there are as many, and none is too large
 */
export function readCodes(state: usize, count: i32, into: usize, limit: i32): bool {
  const codes = changetype<Codes>(state);
  const mask = (1 << codes.bits) - 1;
  while (count > 0) {
    if (codes.left === 0 && !beginRun(codes, count, mask)) return false;
    const wanted = codes.left < count ? codes.left : count;
    if (codes.repeated >= 0) {
      if (codes.repeated >= limit) return false;
      if (into !== 0) for (let i = 0; i < wanted; i++) store<i32>(into + ((<usize>i) << 2), codes.repeated);
    } else {
      let largest = 0;
      let bit = codes.bit;
      for (let i = 0; i < wanted; i++, bit += codes.bits) {
        const code = <i32>(load<u32>(codes.packed + (bit >> 3)) >> (bit & 7)) & mask;
        if (code > largest) largest = code;
        if (into !== 0) store<i32>(into + ((<usize>i) << 2), code);
      }
      codes.bit = bit;
      if (largest >= limit) return false;
    }
    codes.left -= wanted;
    count -= wanted;
    if (into !== 0) into += (<usize>wanted) << 2;
  }
  return true;
}

function beginRun(codes: Codes, count: i32, mask: i32): bool {
  let header: u32 = 0;
  for (let shift = 0; ; shift += 7) {
    if (codes.at >= codes.end || shift > 28) return false;
    const byte = <u32>load<u8>(codes.at++);
    header |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  const size = header >>> 1;
  if (size === 0) return false;
  const rest = codes.end - codes.at;
  if ((header & 1) === 0) {
    const bytes = (codes.bits + 7) >> 3;
    if (<usize>bytes > rest) return false;
    let value = 0;
    for (let byte = 0; byte < bytes; byte++) value |= (<i32>load<u8>(codes.at++)) << (8 * byte);
    codes.repeated = value & mask;
    codes.left = size > <u32>i32.MAX_VALUE ? i32.MAX_VALUE : <i32>size;
    return true;
  }
  const values = (<u64>size) << 3;
  const wanted = values < <u64>count ? values : <u64>count;
  // The last group may lack the bytes of the values that are not wanted.
  if ((wanted * <u64>codes.bits + 7) >> 3 > <u64>rest) return false;
  const bytes = <u64>size * <u64>codes.bits;
  codes.repeated = -1;
  codes.packed = codes.at;
  codes.bit = 0;
  codes.left = values > <u64>i32.MAX_VALUE ? i32.MAX_VALUE : <i32>values;
  codes.at = bytes > <u64>rest ? codes.end : codes.at + <usize>bytes;
  return true;
}
