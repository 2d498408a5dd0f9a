export const countText = (count: number): string => count.toLocaleString('en-US');

/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string): string =>
  `${countText(count)} ${count === 1 ? noun : `${noun}s`}`;

/** A share in percent: never 0 or 100 unless it is exactly that. */
export function shareText(count: number, total: number): string {
  if (count === 0 || total === 0) return '0%';
  const percent = (100 * count) / total;
  if (count < total && percent > 99.9) return '> 99.9%';
  if (percent < 0.1) return '< 0.1%';
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))}%`;
}
