/** Empties the fields that stand for missing values, in place. */
export function emptyNulls(rows: readonly string[][], nulls: ReadonlySet<string>): void {
  if (nulls.size === 0) return;
  for (const row of rows) for (let i = 0; i < row.length; i++) if (nulls.has(row[i] ?? '')) row[i] = '';
}
