/** Six digits are more than any testing split can resolve. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
