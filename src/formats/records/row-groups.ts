/** The rows that are written together, in files that have groups of rows; plain data. */
export type RowGroups =
  /** As many in each. */
  | { readonly rows: number }
  /** The number of the last row of each. */
  | { readonly ends: readonly number[] };

/** The index of the group that a row is in, and the number of its last row. */
export function groupOf(groups: RowGroups, row: number): { group: number; end: number } {
  if ('rows' in groups) {
    const group = Math.floor((row - 1) / groups.rows);
    return { group, end: (group + 1) * groups.rows };
  }
  const { ends } = groups;
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return { group: low, end: ends[low] ?? Number.POSITIVE_INFINITY };
}
