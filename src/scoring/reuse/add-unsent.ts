/** Rows that were not sent: with earlier predictions, and with those of rows that were sent. */
interface Unsent {
  reused?: number | undefined;
  equal?: number | undefined;
}

/** Adds rows that were not sent. */
export function addUnsent(rowCounts: Unsent, more: Unsent): void {
  for (const name of ['reused', 'equal'] as const) {
    const rows = more[name];
    if (rows !== undefined) rowCounts[name] = (rowCounts[name] ?? 0) + rows;
  }
}
