import { gzipSync } from 'node:zlib';
import { parquetOf } from '../support/parquet.ts';
import { lines, table } from './customers.ts';
import { type Kind, rejected, scored } from './kind.ts';

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
  {
    is: 'JSON lines with NaN (Python), which is a missing value as null is',
    file: 'in.jsonl',
    bytes: () => lines.replaceAll('}', ',"income": NaN, "loss": -Infinity}'),
    happens: scored,
  },
  {
    is: 'JSON lines, an object with more than 256 levels',
    file: 'in.jsonl',
    bytes: () => lines.replace('}', `,"deep":${'['.repeat(256)}${']'.repeat(256)}}`),
    happens: rejected('bad_json', 1),
  },
];
