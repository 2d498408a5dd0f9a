/**
 * The bins of a feature in classes: bins of one class are treated alike by all conditions so far. Classes are numbered
 * from 0 in the order of their first bins.
 */
export interface Partition {
  /** By bin, its class. */
  classes: Uint16Array;
  size: number;
}

export const undivided = (bins: number): Partition => ({ classes: new Uint16Array(bins), size: 1 });

/** Divides the classes by a condition on bins. */
export function divide({ classes, size }: Partition, condition: (bin: number) => boolean): Partition {
  return renumber(classes.length, 2 * size, bin => 2 * (classes[bin] as number) + (condition(bin) ? 1 : 0));
}

/** The coarsest partition that is finer than both. */
export function intersect(a: Partition, b: Partition): Partition {
  return renumber(
    a.classes.length,
    a.size * b.size,
    bin => (a.classes[bin] as number) * b.size + (b.classes[bin] as number),
  );
}

function renumber(bins: number, keys: number, keyOf: (bin: number) => number): Partition {
  const numbers = new Int32Array(keys).fill(-1);
  const classes = new Uint16Array(bins);
  let size = 0;
  for (let bin = 0; bin < bins; bin++) {
    const key = keyOf(bin);
    if (numbers[key] === -1) numbers[key] = size++;
    classes[bin] = numbers[key] as number;
  }
  return { classes, size };
}

/** For each class, one of its bins. */
export function representatives({ classes, size }: Partition): Uint16Array {
  return Uint16Array.from({ length: size }, (_, number) => classes.indexOf(number));
}
