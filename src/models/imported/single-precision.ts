const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
const double = new Float64Array(1);
const doubleBits = new BigInt64Array(double.buffer);

/**
 * The cut for doubles that is the same as `x <= border` for x rounded to a float32: the largest double that rounds to
 * the border or below.
 *
 * @param border a float32, which may be infinite
 */
export function cutAtMost(border: number): number {
  if (border === Number.POSITIVE_INFINITY) return border;
  const next = neighbor(border, 1);
  // Halfway to the next float32, for which the exponents above those of float32 stand in for infinity.
  const halfway = (asFinite(border) + asFinite(next)) / 2;
  return Math.fround(halfway) <= border ? halfway : doubleBelow(halfway);
}

/** The cut for doubles, with `x <= cut`, that is the same as `x < border` for x rounded to a float32. */
export function cutBelow(border: number): number {
  return cutAtMost(neighbor(border, -1));
}

/** The next float32 above (1) or below (-1) a finite one or an infinity. */
function neighbor(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * 2 ** -149;
  float[0] = value;
  bits[0] = (bits[0] ?? 0) + (value > 0 ? direction : -direction);
  return float[0];
}

function asFinite(value: number): number {
  return Number.isFinite(value) ? value : Math.sign(value) * 2 ** 128;
}

function doubleBelow(value: number): number {
  double[0] = value;
  doubleBits[0] = (doubleBits[0] ?? 0n) + (value > 0 ? -1n : 1n);
  return double[0];
}

/**
 * By sixteenths of the mantissa, from 0.7 on: a number near the inverse of the middle, and the logarithm of its inverse.
 * The numbers are those of `logf` in Arm's Optimized Routines, which glibc has since 2.27: others give other last bits.
 */
const logTable: readonly (readonly [inverse: number, log: number])[] = [
  [1.398907162146528, -0.33569133332882284],
  [1.3403141896637998, -0.2929040563774074],
  [1.286432210124115, -0.2518726580937369],
  [1.2367150214269895, -0.21245868807117255],
  [1.1906977166711752, -0.17453945183745634],
  [1.1479821020556429, -0.1380057072319758],
  [1.1082251448272158, -0.10275976698545139],
  [1.0711297413057381, -0.06871392447020525],
  [1.036437278977283, -0.0357891387398228],
  [1, 0],
  [0.9492859795739057, 0.05204517742929496],
  [0.8951049428609004, 0.11081431298787942],
  [0.8476821620351103, 0.1652495223695143],
  [0.8050314851692001, 0.21687389031699977],
  [0.7664671008843108, 0.2659635028121397],
  [0.731428603316328, 0.3127556664073557],
];

/** What `logf` of glibc returns for a float32, bit for bit: not always the float32 that is nearest to the logarithm. */
export function logSingle(value: number): number {
  if (!(value > 0) || value === Number.POSITIVE_INFINITY) return Math.log(value);
  // Subnormal numbers are scaled first.
  const scale = value < 2 ** -126 ? 23 : 0;
  float[0] = value * 2 ** scale;
  const all = bits[0] ?? 0;
  const above = all - 0x3f330000;
  const exponent = above >> 23;
  bits[0] = all - (exponent << 23);
  const [inverse, log] = logTable[(above >> 19) & 15] ?? [1, 0];
  const rest = float[0] * inverse - 1;
  const square = rest * rest;
  const high = -0.25089342214237154 * square + (0.333456765744066 * rest - 0.4999997485802103);
  return Math.fround(high * square + (log + (exponent - scale) * Math.LN2 + rest));
}
