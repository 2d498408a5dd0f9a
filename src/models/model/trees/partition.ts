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

export const undivided = (bins: number): Partition => ({ cells: new Uint16Array(bins), firsts: [0] });

/** Divides the cells by a condition on bins. */
export function divide(
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
