import { deflateSync, gzipSync } from 'node:zlib';
import { parquetOf } from '../support/parquet.ts';
import { customers, lines, names, objects, table } from './customers.ts';
import { type Kind, refused } from './kind.ts';

/** How a file begins: a character for each byte, and zeros after them. */
const binary = (text: string, length = 600): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.write(text, 'latin1');
  return bytes;
};

/** The header of the first file of a zip archive, and its name. */
const zip = (name: string, content = ''): Buffer =>
  binary(
    `PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0${String.fromCharCode(name.length)}\0\0\0${name}${content}`,
  );

const tar = (): Buffer => {
  const block = binary('customers.csv');
  block.write('ustar', 257);
  return block;
};

/** The first 32 bytes of the header: the version, the date of the last change, and numbers of rows and bytes. */
const dbf = (): Buffer => {
  const bytes = binary('\x03\x7e\x0b\x1c');
  bytes.writeUInt32LE(4, 4);
  bytes.writeUInt16LE(97, 8);
  bytes.writeUInt16LE(20, 10);
  bytes.write('CUSTOMER', 32);
  return bytes;
};

const kind = (is: string, file: string, bytes: Kind['bytes'], ...says: string[]): Kind => ({
  is,
  file,
  bytes,
  happens: refused('unsupported_format'),
  says,
});

const pretty = `${JSON.stringify(objects, null, 2)}\n`;

/** Files of formats that are not read, or that have the name of another one. */
export const unsupported: readonly Kind[] = [
  kind('a JSON array', 'in.json', () => JSON.stringify(objects), "jq -c '.[]' in.json | rowcast …"),
  kind(
    'a JSON array over several lines, called `.jsonl`',
    'in.jsonl',
    () => pretty,
    "jq -c '.[]' in.jsonl | rowcast …",
  ),
  kind(
    'a JSON array in gzip',
    'in.json.gz',
    () => gzipSync(pretty),
    "gzip -dc < in.json.gz | jq -c '.[]' | rowcast …",
  ),
  kind(
    'a JSON array of arrays',
    'in.json',
    () => JSON.stringify([names, ...customers]),
    "jq -r '.[] | @csv' in.json | rowcast …",
  ),
  kind(
    'JSON objects over several lines (`jq .`)',
    'in.json',
    () => objects.map(object => `${JSON.stringify(object, null, 2)}\n`).join(''),
    'jq -c . in.json | rowcast …',
  ),
  kind(
    'JSON with its rows in a list of one object, over several lines',
    'in.json',
    () => `${JSON.stringify({ meta: { pages: [1, 2] }, 'my rows': objects }, null, 2)}\n`,
    'in a list of one object',
    `jq -c '.["my rows"][]' in.json | rowcast …`,
  ),
  kind('JSON lines, called `.csv`', 'in.csv', () => lines, '--input-format jsonl'),
  kind(
    'Parquet, called `.csv`',
    'in.csv',
    () => parquetOf(table()),
    'the file is Parquet, not CSV',
    'ends in .parquet',
  ),
  kind(
    'an Excel workbook (`.xlsx`)',
    'in.xlsx',
    () => zip('[Content_Types].xml'),
    'such as an Excel workbook (.xlsx)',
    'xlsx2csv in.xlsx | rowcast …',
  ),
  kind(
    'an Excel workbook of before 2007 (`.xls`)',
    'in.xls',
    () => binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
    'an Excel workbook of before 2007 (.xls), or one with a password',
    'to_csv(sys.argv[2], index=False)" in.xls in.xls.csv',
  ),
  kind(
    'an OpenDocument spreadsheet (`.ods`)',
    'in.ods',
    () => zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet'),
    'an OpenDocument spreadsheet (.ods)',
    'to_csv(sys.argv[2], index=False)" in.ods in.ods.csv',
  ),
  kind('a dBase table', 'in.dbf', dbf, 'a dBase table (.dbf)', 'in.dbf in.dbf.csv'),
  kind(
    'Arrow, Feather',
    'in.feather',
    () => binary('ARROW1\0\0'),
    'an Arrow file (Feather)',
    'in.feather in.feather.parquet',
  ),
  kind(
    'an Arrow stream',
    'in.arrows',
    () => binary('\xff\xff\xff\xff\x90\x06'),
    'an Arrow stream',
    'in.arrows in.arrows.parquet',
  ),
  kind(
    'Avro',
    'in.avro',
    () => binary('Obj\x01\x04\x14avro.codec'),
    'an Avro file',
    'fastavro in.avro | rowcast …',
  ),
  kind('ORC', 'in.orc', () => binary('ORC\n\x06\x12\x04'), 'an ORC file', 'in.orc in.orc.parquet'),
  kind(
    'a SQLite database',
    'in.db',
    () => binary('SQLite format 3\0\x10'),
    'a SQLite database',
    "sqlite3 -readonly -header -csv in.db 'SELECT * FROM TABLE' > in.db.csv",
  ),
  kind(
    'a DuckDB database',
    'in.duckdb',
    () => binary('\xef\x87\x09\xe1\x17\xc9\xc6\x60DUCK\x43'),
    'a DuckDB database',
    "duckdb -readonly -csv -nullvalue '' in.duckdb 'FROM TABLE' > in.duckdb.csv",
  ),
  kind(
    'a pickle of Python',
    'in.pkl',
    () => binary('\x80\x05\x95\xdc\x08\0\0\0\0\0\0\x8c\x06pandas'),
    'a pickle of Python',
    'do so only if you trust who made it',
    'in.pkl in.pkl.parquet',
  ),
  kind(
    'an HTML page, such as an error or a form to sign in',
    'in.csv',
    () => '<!DOCTYPE html>\n<html><body>Sign in, please</body></html>\n',
    'the file is an HTML page, not CSV',
    'Look at it',
  ),
  kind(
    'XML, such as an error of a store, whatever it is called',
    'in.parquet',
    () => '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>\n',
    'the file is XML, not Parquet',
    'Look at it first',
  ),
  kind(
    'a pointer of Git LFS',
    'in.csv',
    () => 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
    'a pointer of Git LFS',
    'git lfs smudge < in.csv | rowcast …',
  ),
  kind(
    'CSV, called `.parquet`',
    'in.parquet',
    () => table(),
    'the file is text, not Parquet',
    '--input-format csv',
  ),
  kind(
    'HDF5',
    'in.h5',
    () => binary('\x89HDF\r\n\x1a\n'),
    'an HDF5 file',
    'to_parquet(sys.argv[2], index=False)" in.h5 in.h5.parquet',
  ),
  kind(
    'an array of NumPy',
    'in.npy',
    () => binary('\x93NUMPY\x01\0'),
    'an array of NumPy (.npy)',
    'to_csv(sys.argv[2], index=False)" in.npy in.npy.csv',
  ),
  kind(
    'a SAS table',
    'in.sas7bdat',
    () => binary(`${'\0'.repeat(12)}\xc2\xea\x81\x60\xb3\x14\x11\xcf`),
    'a SAS table (.sas7bdat)',
    "format='sas7bdat', encoding='infer').to_csv(sys.argv[2], index=False)\" in.sas7bdat in.sas7bdat.csv",
  ),
  kind(
    'a 7z archive',
    'in.7z',
    () => binary("7z\xbc\xaf'\x1c\0\x04"),
    'a 7z archive',
    '7z x -so in.7z > in.7z.csv',
  ),
  kind('a zip archive', 'in.zip', () => zip('customers.csv'), 'a zip archive', 'unzip -p in.zip | rowcast …'),
  kind(
    'a tar archive in gzip',
    'in.tar.gz',
    () => gzipSync(tar()),
    'a tar archive',
    'gzip -dc < in.tar.gz | tar -xOf - | rowcast …',
  ),
  kind(
    'gzip in gzip',
    'in.csv.gz',
    () => gzipSync(gzipSync(table())),
    'compressed with gzip',
    'gzip -dc < in.csv.gz | gzip -dc | rowcast …',
  ),
  kind('zlib', 'in.csv', () => deflateSync(table()), 'compressed with zlib', 'pigz -dc < in.csv | rowcast …'),
  kind(
    'xz',
    'in.csv.xz',
    () => binary('\xfd7zXZ\0\0\x04'),
    'compressed with xz',
    'xz -dc < in.csv.xz | rowcast …',
  ),
  kind(
    'bzip2',
    'in.csv.bz2',
    () => binary('BZh91AY&SY'),
    'compressed with bzip2',
    'bzip2 -dc < in.csv.bz2 | rowcast …',
  ),
  kind(
    'lz4',
    'in.csv.lz4',
    () => binary('\x04\x22M\x18'),
    'compressed with lz4',
    'lz4 -dc < in.csv.lz4 | rowcast …',
  ),
  kind(
    'Snappy, framed',
    'in.csv.sz',
    () => binary('\xff\x06\0\0sNaPpY'),
    'compressed with Snappy',
    'sys.stdout.buffer)" < in.csv.sz | rowcast …',
  ),
];
