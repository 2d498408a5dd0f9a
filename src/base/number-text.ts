/** For example `1 blank line`, `2,000 rows`. */
export const countOf = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;

/** For example `1 of 30 rows was`, `494 of 100,000 rows were`. */
export const partOf = (
  part: number,
  all: number,
  noun: string,
  [one, many]: readonly [string, string],
): string => `${counted(part)} of ${countOf(all, noun)} ${part === 1 ? one : many}`;

// `toLocaleString` would load tables, which takes as long as a small run.
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** For example `0.4 kB`, `31.2 MB`, `69.5 GB`. */
export function sizeOf(bytes: number): string {
  const [unit, name] = SIZES.find(([unit]) => bytes >= unit) ?? [1e3, 'kB'];
  return `${(bytes / unit).toFixed(1)} ${name}`;
}

const SIZES = [
  [1e9, 'GB'],
  [1e6, 'MB'],
] as const;

export function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
