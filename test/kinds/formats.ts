import { gzipSync } from 'node:zlib';
import { CONVERTED, ELEMENT, FILE, REQUIRED } from '../../src/formats/parquet/footer/numbers.ts';
import { ThriftStruct } from '../../src/formats/parquet/footer/thrift.ts';
import { parquetOf, withFooter } from '../support/parquet.ts';
import { customers, lines, names, objects, table } from './customers.ts';
import { type Kind, refused, rejected, scored } from './kind.ts';

const withZip = table({
  header: [...names, 'zip'],
  rows: customers.map((row, index) => [...row, `0000${index}`]),
});

/** A file whose last column is the only member of a struct, or is in one of another kind. */
const withStruct = (bytes: Buffer, converted?: (typeof CONVERTED)[number]): Buffer =>
  withFooter(bytes, footer => {
    const elements = footer.structs(FILE.schema);
    const struct = new ThriftStruct();
    struct.setInteger(ELEMENT.repetition, REQUIRED, 'i32');
    struct.setText(ELEMENT.name, 'profile');
    struct.setInteger(ELEMENT.children, 1, 'i32');
    if (converted !== undefined) struct.setInteger(ELEMENT.converted, CONVERTED.indexOf(converted), 'i32');
    footer.setStructs(FILE.schema, elements.toSpliced(-1, 0, struct));
  });

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
    is: 'Parquet with a struct, whose members are columns: `profile.zip`',
    file: 'in.parquet',
    bytes: async () => withStruct(await parquetOf(withZip)),
    happens: scored,
  },
  {
    is: 'Parquet with a list',
    file: 'in.parquet',
    bytes: async () => withStruct(await parquetOf(withZip), 'LIST'),
    happens: refused('unsupported_column'),
    says: ['the column "profile" cannot be read: it has a list'],
  },
  {
    is: 'JSON lines with NaN (Python), which is a missing value as null is',
    file: 'in.jsonl',
    bytes: () => lines.replaceAll('}', ',"income": NaN, "loss": -Infinity}'),
    happens: scored,
  },
  {
    is: 'JSON with its rows in a list of one object, in one line',
    file: 'in.json',
    bytes: () => `${JSON.stringify({ page: 1, data: objects })}\n`,
    happens: refused('missing_columns'),
    says: ["jq -c '.data[]' < in.json | rowcast …"],
  },
  {
    is: 'JSON lines, an object with more than 256 levels',
    file: 'in.jsonl',
    bytes: () => lines.replace('}', `,"deep":${'['.repeat(256)}${']'.repeat(256)}}`),
    happens: rejected('bad_json', 1),
  },
];
