/** Times have a resolution of microseconds, or less. */
export const near = 0.01;

/** How much more than the rate allows there is in a span of time, at the most. @param slots in order; times in ms */
export function mostOver(slots: readonly { at: number; count: number }[], perSecond: number): number {
  let most = 0;
  for (const [first, { at: from }] of slots.entries()) {
    let sum = 0;
    for (const { at, count } of slots.slice(first)) {
      sum += count;
      most = Math.max(most, sum - (perSecond * (at - from)) / 1000);
    }
  }
  return most;
}
