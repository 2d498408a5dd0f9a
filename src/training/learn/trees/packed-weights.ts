/**
 * The second number of a histogram bin packs a sum of hessians and a row count, because a third number per bin would
 * make training 20% slower: hessians as integer multiples of 2^-16, times 2^20, plus 1 per row. Doubles add integers
 * up to 2^53 exactly, which allows 2^17 rows; training uses at most 100,000.
 */
const HESSIAN_UNIT = 2 ** 16;
const COUNT_LIMIT = 2 ** 20;
export const packed = (hessian: number): number => Math.round(hessian * HESSIAN_UNIT) * COUNT_LIMIT + 1;
export const hessianOf = (weight: number): number => Math.floor(weight / COUNT_LIMIT) / HESSIAN_UNIT;
export const countOf = (weight: number): number => weight - Math.floor(weight / COUNT_LIMIT) * COUNT_LIMIT;
