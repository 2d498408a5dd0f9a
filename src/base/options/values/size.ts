export const SIZE = /^(\d+)\s*(?:(K|M|G)(?:iB)?)?$/i;

/** Parses a size to bytes: `65536`, `64KiB`, `1MiB`, `2G`; NaN for any other text. */
export function readSize(text: string): number {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  return Number(number) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
}
