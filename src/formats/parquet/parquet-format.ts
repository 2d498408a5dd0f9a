import { csvFormat } from '../csv/csv-layout.ts';
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
  // Few runs need these: what they do is loaded when it is asked for.
  readLayout: async (source, options) =>
    (await import('./read-layout.ts')).readParquetLayout(source, options),
  textOf: async (stored, file, data) => (await import('./read-layout.ts')).textOfParquet(stored, file, data),
  encoder: async (layout, encoding) => (await import('./encoder.ts')).parquetEncoder(layout, encoding),
  compareWritten: async (source, written) =>
    (await import('./compare-written.ts')).compareWritten(source, written),
  openWritten: async (source, columns) => (await import('./open-written.ts')).openWritten(source, columns),
  readAs: csvFormat.readAs,
};
