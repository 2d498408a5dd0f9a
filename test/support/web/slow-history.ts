const COLUMNS = 60;
const ROWS = 6_000;

/** Labelled rows on which training takes several seconds. */
export const slowHistory = {
  csv(): string {
    const columns = Array.from({ length: COLUMNS }, (_, i) => `x${i}`);
    const rows = Array.from({ length: ROWS }, (_, row) =>
      [
        ...columns.map((_, i) => Math.sin(row * (i + 1)).toFixed(6)),
        Math.sin(row) + Math.sin(2 * row) > 0.3 ? 'yes' : 'no',
      ].join(','),
    );
    return `${[...columns, 'outcome'].join(',')}\n${rows.join('\n')}\n`;
  },
  /** The index of the column to predict, as a form sends it. */
  column: String(COLUMNS),
};
