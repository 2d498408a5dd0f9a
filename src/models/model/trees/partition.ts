/**
 * The bins of a feature in cells: all conditions so far treat the bins of a cell alike. Cells are numbered from 0 in the
 * order of their first bins.
 */
export interface Partition {
  /** By bin, its cell. */
  cells: Uint16Array;
  /** By cell, its first bin. */
  firsts: number[];
}

const undivided = (bins: number): Partition => ({ cells: new Uint16Array(bins), firsts: [0] });

/** Bins that all conditions treat alike, of levels: there are few. */
export const byConditions = (bins: number, conditions: readonly ((bin: number) => boolean)[]): Partition =>
  conditions.reduce(divide, undivided(bins));

/**
 * Bins that all comparisons treat alike, of numbers: there may be as many as cuts.
 *
 * @param last of each comparison, the last bin that goes left
 * @param missing the last bin, which is a cell of its own
 */
export function byComparisons(last: readonly number[], missing: number): Partition {
  const ends = Int32Array.from(new Set(last)).sort();
  const cells = new Uint16Array(missing + 1);
  const firsts: number[] = [];
  let cell = 0;
  for (let bin = 0; bin < missing; bin++) {
    if (bin > (ends[cell] ?? missing)) cell++;
    firsts[cell] ??= bin;
    cells[bin] = cell;
  }
  cells[missing] = firsts.push(missing) - 1;
  return { cells, firsts };
}

/** Divides the cells by a condition on bins. */
function divide(
  { cells: before, firsts: { length: size } }: Partition,
  condition: (bin: number) => boolean,
): Partition {
  const numbers = new Int32Array(2 * size).fill(-1);
  const cells = new Uint16Array(before.length);
  const firsts: number[] = [];
  for (let bin = 0; bin < before.length; bin++) {
    const key = 2 * (before[bin] as number) + (condition(bin) ? 1 : 0);
    if (numbers[key] === -1) numbers[key] = firsts.push(bin) - 1;
    cells[bin] = numbers[key] as number;
  }
  return { cells, firsts };
}
