/** For example `1 blank line`, `2,000 rows`. */
export const countOf = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;

// `toLocaleString` would load tables, which takes as long as a small run.
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
