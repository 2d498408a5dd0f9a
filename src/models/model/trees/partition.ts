/**
 * The bins of a feature in cells: all conditions so far treat the bins of a cell alike. Cells are numbered from 0 in the
 * order of their first bins.
 */
export interface Partition {
  /** By bin, its cell. */
  cells: Uint16Array;
  /** The number of cells. */
  size: number;
}

export const undivided = (bins: number): Partition => ({ cells: new Uint16Array(bins), size: 1 });

/** Divides the cells by a condition on bins. */
export function divide({ cells, size }: Partition, condition: (bin: number) => boolean): Partition {
  return renumber(cells.length, 2 * size, bin => 2 * (cells[bin] as number) + (condition(bin) ? 1 : 0));
}

/** Two bins share a cell if they do so in both partitions. */
export function intersect(a: Partition, b: Partition): Partition {
  return renumber(
    a.cells.length,
    a.size * b.size,
    bin => (a.cells[bin] as number) * b.size + (b.cells[bin] as number),
  );
}

function renumber(bins: number, keys: number, keyOf: (bin: number) => number): Partition {
  const numbers = new Int32Array(keys).fill(-1);
  const cells = new Uint16Array(bins);
  let size = 0;
  for (let bin = 0; bin < bins; bin++) {
    const key = keyOf(bin);
    if (numbers[key] === -1) numbers[key] = size++;
    cells[bin] = numbers[key] as number;
  }
  return { cells, size };
}

/** For each cell, one of its bins. */
export function representatives({ cells, size }: Partition): Uint16Array {
  return Uint16Array.from({ length: size }, (_, cell) => cells.indexOf(cell));
}
