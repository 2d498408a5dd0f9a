import { csv } from '../csv/csv-format.ts';
import type { Format } from '../format.ts';

/** The magic number, and the first member of a page or of the footer: a 32-bit integer. A CSV may begin with `PAR1`. */
const BEGINNING = 'PAR1\x15';

/** Parquet, by the rules of docs/formats.md#parquet. Its rows are read as those of a CSV. */
export const parquet: Format = {
  name: 'parquet',
  isNameOf: file => /\.(parquet|pq)$/i.test(file),
  begins(bytes, isAll) {
    const first = bytes.toString('latin1', 0, BEGINNING.length);
    if (first.length < BEGINNING.length && !isAll) return BEGINNING.startsWith(first) ? undefined : false;
    return first === BEGINNING;
  },
  async readLayout(source, options) {
    // Few runs need it.
    const { readParquetLayout } = await import('./read-layout.ts');
    return readParquetLayout(source, options);
  },
  async textOf(stored, file, data) {
    const { textOfParquet } = await import('./read-layout.ts');
    return textOfParquet(stored, file, data);
  },
  async encoder(layout, encoding) {
    const { parquetEncoder } = await import('./encoder.ts');
    return parquetEncoder(layout, encoding);
  },
  async compareWritten(source, options) {
    const { compareWritten } = await import('./compare-written.ts');
    return compareWritten(source, options);
  },
  async openWritten(source, columns) {
    const { openWritten } = await import('./open-written.ts');
    return openWritten(source, columns);
  },
  readAs: csv.readAs,
};
