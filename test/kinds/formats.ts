import { gzipSync } from 'node:zlib';
import { parquetOf } from '../support/parquet.ts';
import { lines, table } from './customers.ts';
import { type Kind, scored } from './kind.ts';

/** Formats and compressions. */
export const formats: readonly Kind[] = [
  { is: 'gzip', file: 'in.csv.gz', bytes: () => gzipSync(table()), happens: scored },
  { is: 'gzip, whatever it is called', file: 'in.csv', bytes: () => gzipSync(table()), happens: scored },
  { is: 'JSON lines', file: 'in.jsonl', bytes: () => lines, happens: scored },
  { is: 'JSON lines, called `.json`', file: 'in.json', bytes: () => lines, happens: scored },
  {
    is: 'Parquet',
    file: 'in.parquet',
    bytes: () => parquetOf(table(), { numbers: ['age', 'amount'] }),
    happens: scored,
  },
];
