/**
 * A histogram's second number holds a sum of hessians and a count of rows at once, because a third number a bin would
 * cost a fifth of the training's time: hessians as whole multiples of 2^-16, times 2^20, and 1 a row. Doubles add whole
 * numbers up to 2^53 exactly, so up to 2^17 rows are; a history has 100,000.
 */
const HESSIAN_UNIT = 2 ** 16;
const COUNT_LIMIT = 2 ** 20;
export const packed = (hessian: number): number => Math.round(hessian * HESSIAN_UNIT) * COUNT_LIMIT + 1;
export const hessianOf = (weight: number): number => Math.floor(weight / COUNT_LIMIT) / HESSIAN_UNIT;
export const countOf = (weight: number): number => weight - Math.floor(weight / COUNT_LIMIT) * COUNT_LIMIT;
