/**
 * The personas with a text in place of the number in some rows. No field before it is quoted.
 *
 * @param isBad for a row, from 0 on
 */
export const withTenure = (personas: string, isBad: (row: number) => boolean): string =>
  personas.replaceAll(/^(P-(\d+),[^,]*,[^,]*,)\d+/gm, (line, before, row) =>
    isBad(Number(row)) ? `${before}years ${row}` : line,
  );
