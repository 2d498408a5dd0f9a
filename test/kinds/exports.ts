import { customers, names, objects, table } from './customers.ts';
import { type Kind, refused, rejected, scored } from './kind.ts';

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
  {
    is: 'CSV UTF-8 of Excel: a byte order mark, and CRLF',
    file: 'in.csv',
    bytes: () => `\ufeff${table({ ending: '\r\n' })}`,
    happens: scored,
  },
  {
    is: 'CSV of Excel where the decimal separator is a comma: semicolons',
    file: 'in.csv',
    bytes: () => `\ufeff${table({ delimiter: ';', ending: '\r\n' }).replaceAll('.', ',')}`,
    happens: refused('missing_columns'),
    says: ["try --delimiter ';'"],
  },
  {
    is: 'the index of pandas with a name, which the report does not have',
    file: 'in.csv',
    bytes: () => table({ header: ['id', ...names], rows: customers.map((row, i) => [`${i}`, ...row]) }),
    happens: scored,
  },
  {
    is: 'booleans of pandas (`True`), of a column with yes and no',
    file: 'in.csv',
    bytes: () => withActive('True', 'False'),
    happens: scored,
  },
  {
    is: 'booleans of DuckDB and BigQuery (`true`), of a column with yes and no',
    file: 'in.csv',
    bytes: () => withActive('true', 'false'),
    happens: scored,
  },
  {
    is: 'booleans of DuckDB in JSON lines',
    file: 'in.jsonl',
    bytes: () => objects.map(row => `${JSON.stringify({ ...row, active: row.active === 'yes' })}\n`).join(''),
    happens: scored,
  },
  {
    is: 'booleans of PostgreSQL (`t`), of a column with yes and no',
    file: 'in.csv',
    bytes: () => withActive('t', 'f'),
    happens: scored,
  },
  {
    is: 'Spark: quotes that a backslash escapes',
    file: 'in.csv',
    bytes: () => withNote('"6\\" of \\"x\\", y"'),
    happens: rejected('bad_quoting', 1),
    says: ["if a backslash escapes quotes, use --escape '\\'"],
  },
  {
    is: "Spark: quotes that a backslash escapes, with `--escape '\\'`",
    file: 'in.csv',
    bytes: () => withNote('"6\\" of \\"x\\", y"'),
    options: ['--escape', '\\'],
    happens: scored,
  },
  {
    is: "MySQL (`INTO OUTFILE`): tabs and no header, with `--delimiter tab --quote none --nulls '\\N' --names NAME,…`",
    file: 'in.txt',
    bytes: () => withNote('\\N').replaceAll(',', '\t').replace(/^.*\n/, ''),
    options: [
      ...['--delimiter', 'tab', '--quote', 'none', '--nulls', '\\N'],
      ...['--names', [...names, 'note'].join()],
    ],
    happens: scored,
  },
  {
    is: "Redshift (`UNLOAD`): bars and no header, with `--delimiter '|' --names NAME,…`",
    file: 'part_00',
    bytes: () => table({ delimiter: '|' }).replace(/^.*\n/, ''),
    options: ['--delimiter', '|', '--names', names.join()],
    happens: scored,
  },
  {
    is: "Hive: the control character 1 and no header, with `--delimiter $'\\001' --nulls '\\N' --names NAME,…`",
    file: '000000_0',
    bytes: () => withNote('\\N').replaceAll(',', '\u0001').replace(/^.*\n/, ''),
    options: ['--delimiter', '\u0001', '--nulls', '\\N', '--names', [...names, 'note'].join()],
    happens: scored,
  },
];

/** The table with other texts for yes and no. */
const withActive = (yes: string, no: string): string =>
  table().replaceAll(',yes\n', `,${yes}\n`).replaceAll(',no\n', `,${no}\n`);

/** The table with another column that is empty but in one row. */
const withNote = (note: string): string =>
  table({ header: [...names, 'note'], rows: customers.map((row, i) => [...row, i === 1 ? note : '']) });
