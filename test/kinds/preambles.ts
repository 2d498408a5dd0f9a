import { customers, table } from './customers.ts';
import { type Kind, refused, rejected, scored } from './kind.ts';

/** What is before, between and after the rows. */
export const preambles: readonly Kind[] = [
  {
    is: 'blank lines between the rows',
    file: 'in.csv',
    bytes: () => table({ ending: '\n\n' }),
    happens: scored,
  },
  {
    is: 'no header line',
    file: 'in.csv',
    bytes: () => table().slice(table().indexOf('\n') + 1),
    happens: refused('missing_columns'),
  },
  {
    is: 'no header line, with `--names`',
    file: 'in.csv',
    bytes: () => table().slice(table().indexOf('\n') + 1),
    options: ['--names', 'customer,age,plan,amount,joined,active'],
    happens: scored,
  },
  {
    is: 'no bytes',
    file: 'in.csv',
    bytes: () => '',
    happens: refused('empty_input'),
    says: ['the input is empty'],
  },
  {
    is: 'a row with one field too few',
    file: 'in.csv',
    bytes: () => table({ rows: customers.map((row, i) => (i === 2 ? row.slice(1) : row)) }),
    happens: rejected('too_few_fields', 1),
  },
];
