import type { Fields } from '../records/fields.ts';

/** Returns a function that empties a column's fields with one of these texts, because they stand for missing values. */
export function withoutNulls(nulls: readonly string[]): (fields: Fields, index: number) => void {
  if (nulls.length === 0) return () => {};
  const texts = nulls.map(text => Buffer.from(text));
  return ({ rows, width, bytes, starts, ends }, index) => {
    for (let row = 0, field = index; row < rows; row++, field += width) {
      const start = starts[field] as number;
      const end = ends[field] as number;
      if (
        texts.some(
          text => end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0,
        )
      )
        ends[field] = start;
    }
  };
}
