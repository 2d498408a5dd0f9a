import { table } from './customers.ts';
import { type Kind, refused, scored } from './kind.ts';

/** How tables of text are written. */
export const dialects: readonly Kind[] = [
  { is: 'CSV in UTF-8, with commas', file: 'in.csv', bytes: () => table(), happens: scored },
  { is: 'CSV with CRLF', file: 'in.csv', bytes: () => table({ ending: '\r\n' }), happens: scored },
  {
    is: 'CSV with a lone CR after each line',
    file: 'in.csv',
    bytes: () => table({ ending: '\r' }),
    happens: scored,
  },
  { is: 'a byte order mark', file: 'in.csv', bytes: () => `\ufeff${table()}`, happens: scored },
  { is: 'TSV, called `.tsv`', file: 'in.tsv', bytes: () => table({ delimiter: '\t' }), happens: scored },
  {
    is: 'semicolons',
    file: 'in.csv',
    bytes: () => table({ delimiter: ';' }),
    happens: refused('missing_columns'),
    says: ["try --delimiter ';'"],
  },
  {
    is: "semicolons, with `--delimiter ';'`",
    file: 'in.csv',
    bytes: () => table({ delimiter: ';' }),
    options: ['--delimiter', ';'],
    happens: scored,
  },
  {
    is: 'UTF-16',
    file: 'in.csv',
    bytes: () => Buffer.from(`\ufeff${table()}`, 'utf16le'),
    happens: refused('bad_header'),
    says: ['the file is UTF-16, not UTF-8', '--encoding utf-16'],
  },
  {
    is: 'UTF-16, with `--encoding utf-16`',
    file: 'in.csv',
    bytes: () => Buffer.from(`\ufeff${table()}`, 'utf16le'),
    options: ['--encoding', 'utf-16'],
    happens: scored,
  },
  {
    is: "the control character 1 (Hive), with `--delimiter $'\\001'`",
    file: 'in.csv',
    bytes: () => table({ delimiter: '\u0001' }),
    options: ['--delimiter', '\u0001'],
    happens: scored,
  },
];
