import type { ParquetType } from '../footer/column-type.ts';

/** A value, by the physical type of its column. */
export type Physical = boolean | number | bigint | Uint8Array;

/**
 * How the values of a column are written as text: the table of docs/formats.md#parquet. A value is read back from its
 * text exactly.
 *
 * @returns undefined for texts, whose bytes stay as they are
 */
export function parquetValueText(type: ParquetType): ((value: Physical) => string) | undefined {
  switch (type.is) {
    case 'text':
      return undefined;
    case 'boolean':
    case 'signed':
      return String;
    case 'unsigned':
      return unsigned;
    case 'double':
      return number => doubleText(Number(number));
    case 'float':
      return number => floatText(Number(number));
    case 'half':
      return bytes => doubleText(halfOf(bytes as Uint8Array));
    case 'bytes':
      return bytes => bytesText(bytes as Uint8Array);
    case 'uuid':
      return bytes =>
        Buffer.from(bytes as Uint8Array)
          .toString('hex')
          .replace(UUID, '$1-$2-$3-$4-$5');
    case 'date':
      return days => dateText(BigInt(days as number));
    case 'decimal':
      return value => decimalText(unscaled(value), type.scale);
    case 'timestamp':
      return value => timestampText(BigInt(value as bigint), type.digits, type.isUtc ? 'Z' : '');
    case 'time':
      return value => timeText(BigInt(value as bigint), type.digits);
    case 'int96':
      return value => timestampText(int96Nanoseconds(value as bigint), 9, '');
    case 'unknown':
    case 'struct':
    case 'unsupported':
      return () => '';
  }
}

const DAY_NANOSECONDS = 86_400_000_000_000n;
/** The Julian day of 1970-01-01. */
const JULIAN_EPOCH = 2_440_588n;

/**
 * Nanoseconds since 1970 of a timestamp of 96 bits: the Julian day, and below it 64 bits of nanoseconds of the day.
 *
 * @throws RangeError if these are more than a day: what writes years beyond 64 bits of nanoseconds may do that
 */
function int96Nanoseconds(value: bigint): bigint {
  const ofDay = BigInt.asUintN(64, value);
  if (ofDay >= DAY_NANOSECONDS) throw new RangeError('a timestamp is beyond the range of INT96');
  return ((value >> 64n) - JULIAN_EPOCH) * DAY_NANOSECONDS + ofDay;
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

function unsigned(value: Physical): string {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value).toString();
  return String(Number(value) >>> 0);
}

/** The shortest text that is read back as the same number, as JavaScript writes it. */
export const doubleText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** The shortest text that is read back as the same number of 32 bits. */
function floatText(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return doubleText(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}

/** A number of 16 bits (IEEE 754). */
function halfOf(bytes: Uint8Array): number {
  const bits = ((bytes[1] ?? 0) << 8) | (bytes[0] ?? 0);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  return sign * 2 ** (exponent - 25) * (1024 + fraction);
}

/** In the way of DuckDB: bytes that are no printable ASCII characters, and backslashes, as `\xAB`. */
function bytesText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c;
    text += isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

/** The integer of a decimal, which may be big-endian bytes in two's complement. */
function unscaled(value: Physical): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return value.toString();
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const DAY_SECONDS = 86_400n;

/** A date of the proleptic Gregorian calendar (ISO 8601; years beyond four digits have a sign). */
function dateText(days: bigint): string {
  // The algorithm of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  const shifted = days + 719_468n;
  const era = floorDivide(shifted, 146_097n);
  const day = shifted - era * 146_097n;
  const year = (day - day / 1460n + day / 36_524n - day / 146_096n) / 365n;
  const dayOfYear = day - (365n * year + year / 4n - year / 100n);
  const month = (5n * dayOfYear + 2n) / 153n;
  const dayOfMonth = dayOfYear - (153n * month + 2n) / 5n + 1n;
  const ofYear = month < 10n ? month + 3n : month - 9n;
  return `${yearText(year + era * 400n + (ofYear <= 2n ? 1n : 0n))}-${two(ofYear)}-${two(dayOfMonth)}`;
}

function yearText(year: bigint): string {
  if (year >= 0n && year <= 9999n) return year.toString().padStart(4, '0');
  const digits = (year < 0n ? -year : year).toString().padStart(6, '0');
  return `${year < 0n ? '-' : '+'}${digits}`;
}

function timestampText(value: bigint, digits: number, zone: string): string {
  const unit = 10n ** BigInt(digits);
  const day = floorDivide(value, DAY_SECONDS * unit);
  return `${dateText(day)}T${timeText(value - day * DAY_SECONDS * unit, digits)}${zone}`;
}

/** Without the fraction if it is zero. */
function timeText(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const seconds = value / unit;
  const fraction = value % unit;
  const part = fraction === 0n ? '' : `.${fraction.toString().padStart(digits, '0')}`;
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${part}`;
}

const two = (value: bigint): string => value.toString().padStart(2, '0');

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
