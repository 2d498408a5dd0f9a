/** A double's significand has 53 bits; the rest is room for the sum of all rounded values. */
const SUM_BITS = 50;

/**
 * Rounds numbers to multiples of one power of two, small enough to change a sum by less than 2^-40 of its largest
 * possible size, and large enough that every sum of some of them is exact, in any order. Trees may then be added up in
 * the order that is fastest, and a row gets the same score, bit for bit, however it is computed.
 *
 * @param bound at least the largest absolute value of any sum
 * @returns the function that rounds a number; undefined for absurd numbers, such as no model has: their sums are not exact
 */
export function exactSums(bound: number): ((value: number) => number) | undefined {
  const grid = 2 ** (Math.ceil(Math.log2(bound)) - SUM_BITS);
  if (!(Number.isFinite(1 / grid) && Number.isFinite(grid) && grid > 0)) return undefined;
  return value => Math.round(value / grid) * grid;
}
