const LANES = 16;

/** Compares bytes; reads as many behind them as a vector has, but none behind the first vectors that differ. */
export function isEqual(a: usize, b: usize, length: i32): bool {
  for (let i = 0; i < length; i += LANES) {
    const left = length - i;
    const equal = i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i)));
    const wanted = left < LANES ? (1 << left) - 1 : 0xffff;
    if ((equal & wanted) !== wanted) return false;
  }
  return true;
}
