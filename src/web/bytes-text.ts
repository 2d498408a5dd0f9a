const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size for people: three digits, as the options of the command line are written. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1024;
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))} ${units[unit]}`;
}
