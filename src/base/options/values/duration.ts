/** The units of a duration, in milliseconds; a bare number is seconds. */
const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  '': 1_000,
};

export const DURATION = /^\s*(\d+(?:\.\d+)?)(ms|[smhd]?)\s*$/;

/**
 * Parses a duration to seconds: `500ms`, `90s`, `5m`, `2h`, `1d`; a bare number is seconds.
 *
 * @returns undefined for any other text
 */
export function readDuration(text: string): number | undefined {
  const [, number, unit = ''] = DURATION.exec(text) ?? [];
  const seconds = (Number(number) * (units[unit] ?? Number.NaN)) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** Formats a duration in the largest unit that gives a whole number: `90s`, `2h`. */
export function formatDuration(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const [unit, size] =
    ['d', 'h', 'm', 's']
      .map(name => [name, units[name] ?? 1] as const)
      .find(([, ms]) => milliseconds >= ms && milliseconds % ms === 0) ?? (['ms', 1] as const);
  return milliseconds === 0 ? '0s' : `${milliseconds / size}${unit}`;
}

export const SIZE = /^(\d+)\s*(?:(K|M|G)(?:iB)?)?$/i;

/** Parses a size to bytes: `65536`, `64KiB`, `1MiB`, `2G`; NaN for any other text. */
export function readSize(text: string): number {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  return Number(number) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
}
