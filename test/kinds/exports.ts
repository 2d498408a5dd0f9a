import { customers, names } from './customers.ts';
import { type Kind, refused, scored } from './kind.ts';

const quoted = (fields: readonly string[]): string => `${fields.map(text => `"${text}"`).join(',')}\n`;

/** What tools write. */
export const exports: readonly Kind[] = [
  {
    is: 'all fields in quotes (R, `csv.QUOTE_ALL`)',
    file: 'in.csv',
    bytes: () => [names, ...customers].map(quoted).join(''),
    happens: scored,
  },
  {
    is: 'columns in upper case (Snowflake, Oracle)',
    file: 'in.csv',
    bytes: () => [names.map(name => name.toUpperCase()), ...customers].map(quoted).join(''),
    happens: refused('missing_columns'),
    says: [
      'The names differ only in upper and lower case.',
      '--skip-lines 1 --names CUSTOMER,age,plan,amount,joined,active',
    ],
  },
  {
    is: 'columns in upper case, with `--skip-lines 1 --names CUSTOMER,age,…`',
    file: 'in.csv',
    bytes: () => [names.map(name => name.toUpperCase()), ...customers].map(quoted).join(''),
    options: ['--skip-lines', '1', '--names', names.join()],
    happens: scored,
  },
];
