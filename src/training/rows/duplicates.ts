import type { Split } from './split-rows.ts';

/**
 * Counts the testing rows that are identical, including the label, to a row used for training or validation.
 *
 * @param ignored columns that differ between copies, such as row counters
 */
export function testingDuplicates(
  rows: readonly (readonly string[])[],
  split: Split,
  ignored: ReadonlySet<number>,
): number {
  const learned = new Set<number>();
  for (const part of [split.training, split.validation])
    for (const row of part) learned.add(digestOf(rows[row] ?? [], ignored));
  return split.testing.filter(row => learned.has(digestOf(rows[row] ?? [], ignored))).length;
}

/** 53 bits of two FNV-1a hashes: among 100,000 rows, two different ones collide with a chance of one in a million. */
function digestOf(row: readonly string[], ignored: ReadonlySet<number>): number {
  let [low, high] = [0x811c9dc5, 0x1000193];
  const add = (code: number): void => {
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  };
  row.forEach((text, index) => {
    if (ignored.has(index)) return;
    for (let i = 0; i < text.length; i++) add(text.charCodeAt(i));
    add(0x10000); // no character has this code
  });
  return (low >>> 0) + (high >>> 11) * 2 ** 32;
}
