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

/** The option whose value is the price. */
const PRICE = 'price-per-1000';

/**
 * What the rows would have cost that were reused, or equal to others.
 *
 * @returns no member without a price, or if all rows are sent
 */
export function savedBy(
  { [PRICE]: price }: Readonly<Record<string, unknown>>,
  { reused, equal }: Unsent,
): { saved?: number } {
  if (typeof price !== 'number' || (reused ?? equal) === undefined) return {};
  return { saved: (((reused ?? 0) + (equal ?? 0)) / 1000) * price };
}

/** Metrics of rows that were not sent, and of what that has saved: name, help, and value if it is known. */
export const unsentMetrics = (
  { reused = null, equal = null }: { reused?: number | null; equal?: number | null },
  saved: number | null,
) =>
  [
    ['rows_reused', 'Scored rows whose predictions were copied from an earlier output.', reused],
    ['rows_equal', 'Scored rows with the prediction of an equal row, which was sent.', equal],
    ['saved', 'What the reused and equal rows would have cost.', saved],
  ] as const;
