// As `addNumber` of src/formats/parquet/text/text-page.ts, for numbers of two digits after the point.

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
/** Bytes for each text. */
const SLOT = 32;
const MOST: f64 = 1e9;

/**
 * Writes doubles as texts, from row `first` on.
 *
 * @param texts where they are written, each `SLOT` bytes after the one before
 * @param starts and `ends` of them
 * @returns the first row with a number that has more digits
 */
export function writeDoubles(
  values: usize,
  first: i32,
  rows: i32,
  texts: usize,
  starts: usize,
  ends: usize,
): i32 {
  for (let row = first; row < rows; row++) {
    const value = load<f64>(values + ((<usize>row) << 3));
    const size = abs(value);
    const hundredths = nearest(size * 100);
    if (!(hundredths / 100 === size && hundredths < MOST)) return row;
    // -0 has a sign.
    if (value === 0 && reinterpret<i64>(value) !== 0) return row;
    const start = texts + <usize>(row * SLOT);
    let at = start;
    if (value < 0) store<u8>(at++, MINUS);
    const whole = <u32>hundredths / 100;
    const rest = <u32>hundredths - 100 * whole;
    at = writeDigits(whole, at);
    if (rest > 0) {
      store<u8>(at++, POINT);
      store<u8>(at++, ZERO + <u8>(rest / 10));
      if (rest % 10 > 0) store<u8>(at++, ZERO + <u8>(rest % 10));
    }
    store<i32>(starts + ((<usize>row) << 2), row * SLOT);
    store<i32>(ends + ((<usize>row) << 2), <i32>(at - texts));
  }
  return rows;
}

function writeDigits(number: u32, at: usize): usize {
  let end = at + 1;
  for (let rest = number; rest > 9; rest /= 10) end++;
  for (let place = end - 1; place >= at; place--) {
    store<u8>(place, ZERO + <u8>(number % 10));
    number /= 10;
  }
  return end;
}
