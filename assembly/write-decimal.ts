const ZERO = 0x30;
const ONE = 0x31;
const POINT = 0x2e;
const MINUS = 0x2d;
const SMALL_E = 0x65;
/** String() writes smaller numbers with an exponent. */
const LEAST_PLAIN = 1e-6;
/** 2^-37: from here on, `shortest` needs no power of five of more than 64 bits. */
const LEAST: f64 = 7.275957614183426e-12;
const FRACTION_BITS = 52;
const FIVE_TO_16: u64 = 152_587_890_625;

/**
 * Writes a probability as `writeDecimal` in src/formats/bytes/decimals.ts does, which is as String() does.
 *
 * @returns the address after the last byte written; 0 if it is tiny, or no probability
 */
export function writeDecimal(probability: f64, at: usize): usize {
  if (probability === 0 || probability === 1) {
    store<u8>(at, probability === 0 ? ZERO : ONE);
    return at + 1;
  }
  if (!(probability >= LEAST && probability < 1)) return 0;
  if (probability < LEAST_PLAIN) return writeExponent(shortest(probability), decimals, at);
  store<u8>(at, ZERO);
  store<u8>(at, POINT, 1);
  // An exact integer divided by an exact power of ten is rounded only once (Clinger 1990).
  const eight = nearest<f64>(probability * 1e8);
  if (eight / 1e8 === probability) return writeDigits(<u64>eight, at + 2, 8);
  const digits = shortest(probability);
  return writeDigits(digits, at + 2, decimals);
}

/** How many decimals the integer has that `shortest` has returned. */
let decimals: i32 = 0;

/**
 * The shortest decimal that is nearer to a double than to any other, and of those the one that is nearest to it, as an integer
 * that may end in zeros: Schubfach (Giulietti, The Schubfach way to render doubles, 2021), with exact products.
 */
function shortest(value: f64): u64 {
  const bits = reinterpret<u64>(value);
  const fraction = bits & ((1 << FRACTION_BITS) - 1);
  const exponent = <i32>(bits >> FRACTION_BITS) - 1075;
  // Below a power of two, the next double is half as far away.
  const isPower = fraction === 0;
  decimals = <i32>ceil<f64>(-0.3010299956639812 * exponent + (isPower ? 0.12493873660829995 : 0));
  let five = FIVE_TO_16;
  for (let i = 16; i < decimals; i++) five *= 5;
  const shift = <u64>(-exponent - decimals);
  // Four times the double, as a product of 128 bits, and the ends of the interval in which decimals are read as this double.
  const four = (fraction | (1 << FRACTION_BITS)) << 2;
  const low = (four & 0xffff_ffff) * (five & 0xffff_ffff);
  const middle = (four >> 32) * (five & 0xffff_ffff) + (low >> 32);
  const other = (four & 0xffff_ffff) * (five >> 32) + (middle & 0xffff_ffff);
  const productHigh = (four >> 32) * (five >> 32) + (middle >> 32) + (other >> 32);
  const productLow = (other << 32) | (low & 0xffff_ffff);
  const above = productLow + 2 * five;
  const distance = isPower ? five : 2 * five;
  const own = shifted(productHigh, productLow, shift);
  const odd = fraction & 1;
  const from = shifted(productHigh - <u64>(productLow < distance), productLow - distance, shift) + odd;
  const to = shifted(productHigh + <u64>(above < productLow), above, shift) - odd;
  const floor = own >> 2;
  const ten = (floor / 10) * 10;
  const isTenInside = from <= ten << 2;
  if (isTenInside !== (ten + 10) << 2 <= to) return isTenInside ? ten : ten + 10;
  const isInside = from <= floor << 2;
  if (isInside !== (floor + 1) << 2 <= to) return isInside ? floor : floor + 1;
  const middles = (2 * floor + 1) << 1;
  return own < middles || (own === middles && (floor & 1) === 0) ? floor : floor + 1;
}

/** A number of 128 bits without its last ones; the last bit that stays is 1 if one of them was. */
function shifted(high: u64, low: u64, bits: u64): u64 {
  return (high << (64 - bits)) | (low >> bits) | <u64>(low << (64 - bits) !== 0);
}

/** Writes so many digits, without the zeros at their end. */
function writeDigits(number: u64, at: usize, digits: i32): usize {
  let place = at + digits;
  let end = at;
  /** Eight digits at a time, as 32 bits. */
  while (place > at) {
    const rest = number / 100_000_000;
    let eight = <u32>(number - rest * 100_000_000);
    const start = place - at > 8 ? place - 8 : at;
    while (place > start) {
      const tenth = eight / 10;
      const digit = eight - 10 * tenth;
      if (end === at && digit > 0) end = place;
      store<u8>(--place, ZERO + <u8>digit);
      eight = tenth;
    }
    number = rest;
  }
  return end;
}

function writeExponent(digits: u64, decimals: i32, at: usize): usize {
  let count = 1;
  for (let rest = digits; rest > 9; rest /= 10) count++;
  // The first digit takes the place before the point.
  let end = writeDigits(digits, at + 1, count);
  store<u8>(at, load<u8>(at, 1));
  if (end > at + 2) store<u8>(at, POINT, 1);
  else end--;
  const exponent = decimals - count + 1;
  store<u8>(end++, SMALL_E);
  store<u8>(end++, MINUS);
  if (exponent > 9) store<u8>(end++, ZERO + <u8>(exponent / 10));
  store<u8>(end++, ZERO + <u8>(exponent % 10));
  return end;
}
