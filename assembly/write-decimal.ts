const ZERO = 0x30;
const ONE = 0x31;
const POINT = 0x2e;
const MINUS = 0x2d;
const SMALL_E = 0x65;
/** String() writes smaller numbers with an exponent. */
const LEAST_PLAIN = 1e-6;
/** From here on, numbers in single precision have at most 22 decimals, and 10^22 is exact. */
const LEAST = 1e-14;

/**
 * Writes a probability as `writeDecimal` in src/formats/bytes/decimals.ts does; smaller ones as String() does, if
 * they have at most 22 decimals: an exact integer divided by an exact power of ten is rounded only once (Clinger 1990),
 * and a double has at most one decimal of up to 15 digits.
 *
 * @returns the address after the last byte written; 0 if it is any other number
 */
export function writeDecimal(probability: f64, at: usize): usize {
  if (probability >= LEAST_PLAIN && probability < 1) {
    store<u8>(at, ZERO);
    store<u8>(at, POINT, 1);
    const eight = nearest<f64>(probability * 1e8);
    if (eight / 1e8 === probability) return writeDigits(<u64>eight, at + 2, 8);
    const fifteen = nearest<f64>(probability * 1e15);
    return fifteen / 1e15 === probability ? writeDigits(<u64>fifteen, at + 2, 15) : 0;
  }
  if (probability === 0 || probability === 1) {
    store<u8>(at, probability === 0 ? ZERO : ONE);
    return at + 1;
  }
  return probability >= LEAST && probability < LEAST_PLAIN ? writeSmall(probability, at) : 0;
}

/** Writes so many digits, without the zeros at their end. */
function writeDigits(number: u64, at: usize, digits: i32): usize {
  let end = at + digits;
  while (number % 10 === 0) {
    number /= 10;
    end--;
  }
  for (let place = end - 1; place >= at; place--) {
    store<u8>(place, ZERO + <u8>(number % 10));
    number /= 10;
  }
  return end;
}

/** Writes a number with an exponent. */
function writeSmall(probability: f64, at: usize): usize {
  let power: f64 = 1e7;
  for (let decimals = 7; decimals <= 22; decimals++, power *= 10) {
    const digits = nearest<f64>(probability * power);
    if (digits / power !== probability) continue;
    return digits >= 1e15 ? 0 : writeExponent(<u64>digits, decimals, at);
  }
  return 0;
}

function writeExponent(digits: u64, decimals: i32, at: usize): usize {
  let count = 1;
  for (let rest = digits; rest > 9; rest /= 10) count++;
  // The first digit takes the place before the point.
  let end = writeDigits(digits, at + 1, count);
  store<u8>(at, load<u8>(at, 1));
  if (count > 1) store<u8>(at, POINT, 1);
  else end--;
  const exponent = decimals - count + 1;
  store<u8>(end++, SMALL_E);
  store<u8>(end++, MINUS);
  if (exponent > 9) store<u8>(end++, ZERO + <u8>(exponent / 10));
  store<u8>(end++, ZERO + <u8>(exponent % 10));
  return end;
}
