import { customers, names, table } from './customers.ts';
import { type Kind, refused, rejected, scored, stopped } from './kind.ts';

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
    happens: refused('bad_header'),
    says: ['names in the header look like values', '--names'],
  },
  {
    is: 'no header line, with `--names`',
    file: 'in.csv',
    bytes: () => table().slice(table().indexOf('\n') + 1),
    options: ['--names', 'customer,age,plan,amount,joined,active'],
    happens: scored,
  },
  {
    is: 'a title before the header',
    file: 'in.csv',
    bytes: () => `Customers\n# of May\n${table()}`,
    happens: refused('missing_columns'),
    says: ['Line 3 has these columns: use --skip-lines 2.'],
  },
  {
    is: 'a title before the header, with `--skip-lines 2`',
    file: 'in.csv',
    bytes: () => `Customers\n# of May\n${table()}`,
    options: ['--skip-lines', '2'],
    happens: scored,
  },
  {
    is: '`sep=;` of Excel before the header',
    file: 'in.csv',
    bytes: () => `sep=;\n${table({ delimiter: ';' })}`,
    happens: refused('bad_header'),
    says: ["use --skip-lines 1 --delimiter ';'"],
  },
  {
    is: 'a line of dashes under the header',
    file: 'in.csv',
    bytes: () => table().replace('\n', `\n${Array(6).fill('----').join()}\n`),
    happens: refused('bad_header'),
    says: ['only dashes', 'sed 2d'],
  },
  {
    is: 'a line of units under the header',
    file: 'in.csv',
    bytes: () => table().replace('\n', '\nid,years,,EUR,date,\n'),
    happens: refused('bad_header'),
    says: ['as a line of units has', 'sed 2d'],
  },
  {
    is: 'an index in the first column, without a name (pandas)',
    file: 'in.csv',
    bytes: () => indexed(''),
    happens: scored,
  },
  {
    is: 'an index in the first column that the header lacks (R)',
    file: 'in.csv',
    bytes: () => indexed('').slice(1),
    happens: stopped('malformed_input'),
    says: ['the header lacks the name of an index', "sed '1s/^/index,/'"],
  },
  {
    is: 'a delimiter at the end of each line but the header',
    file: 'in.csv',
    bytes: () => table().replaceAll('\n', ',\n').replace(',\n', '\n'),
    happens: stopped('malformed_input'),
    says: ['one field more than the header, and it is empty', "sed 's/,$//'"],
  },
  {
    is: 'the header again among the rows, as in joined files',
    file: 'in.csv',
    bytes: () => table({ rows: customers.map((row, i) => (i === 2 ? names : row)) }),
    happens: rejected('repeated_header', 1),
  },
  {
    is: 'delimiters only, where a spreadsheet has empty rows',
    file: 'in.csv',
    bytes: () => table({ rows: customers.map((row, i) => (i === 2 ? row.map(() => '') : row)) }),
    happens: rejected('empty_record', 1),
  },
  {
    is: 'no bytes',
    file: 'in.csv',
    bytes: () => '',
    happens: refused('empty_input'),
    says: ['the input is empty'],
  },
  {
    is: 'blank lines only',
    file: 'in.csv',
    bytes: () => '\n\n  \n',
    happens: refused('empty_input'),
    says: ['the input has only blank lines'],
  },
  {
    is: 'lines of delimiters only, as of empty rows of a spreadsheet',
    file: 'in.csv',
    bytes: () => ';;;\n'.repeat(4),
    happens: refused('empty_input'),
    says: ['the input has only delimiters'],
  },
  {
    is: 'a row with one field too few',
    file: 'in.csv',
    bytes: () => table({ rows: customers.map((row, i) => (i === 2 ? row.slice(1) : row)) }),
    happens: rejected('too_few_fields', 1),
  },
];

/** The table with a first column that counts the rows. */
function indexed(name: string): string {
  const [header = '', ...rows] = table().trimEnd().split('\n');
  return `${[`${name},${header}`, ...rows.map((row, index) => `${index},${row}`)].join('\n')}\n`;
}
