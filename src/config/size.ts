export const SIZE = /^(\d+)\s*(KiB|MiB|GiB)?$/i;

/** Parses a size to bytes: `65536`, `64KiB`, `1MiB`, `2GiB`; NaN for any other text. */
export function readSize(text: string): number {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  return Number(number) * 1024 ** ['', 'kib', 'mib', 'gib'].indexOf(unit.toLowerCase());
}
