import { Readable } from 'node:stream';
import { parseRecords } from '../../src/base/parse-records.ts';
import type { StoredBytes } from '../../src/base/text-of-file.ts';
import { writeRow } from '../../src/base/write-row.ts';
import { FILE } from '../../src/formats/parquet/footer/numbers.ts';
import { openParquet } from '../../src/formats/parquet/footer/parquet-file.ts';
import { readStruct, type ThriftStruct } from '../../src/formats/parquet/footer/thrift.ts';
import { ParquetText } from '../../src/formats/parquet/text/parquet-text.ts';
import { ParquetEncoder } from '../../src/formats/parquet/writing/file-encoder.ts';
import { fileEnd } from '../../src/formats/parquet/writing/file-end.ts';
import { type ByteSource, sourceOf } from '../../src/formats/records/byte-source.ts';

const dialect = { delimiter: ',', quote: '"', loneCr: false };

const isText = (csv: Buffer | string | readonly (readonly string[])[]): csv is Buffer | string =>
  typeof csv === 'string' || Buffer.isBuffer(csv);

/** A Parquet file of the rows of a CSV, or of a header and rows, as rowcast writes it. */
export async function parquetOf(
  csv: Buffer | string | readonly (readonly string[])[],
  { groupRows = 1000, numbers = [] }: { groupRows?: number; numbers?: readonly string[] } = {},
): Promise<Buffer> {
  const [names = [], ...rows] = isText(csv) ? parseRecords(csv.toString(), dialect) : csv;
  const encoder = new ParquetEncoder({
    columns: names.map(name => ({ name, type: numbers.includes(name) ? 'number' : 'text' })),
    nulls: new Set(),
    file: 'out.parquet',
    dialect,
  });
  const pieces: Uint8Array[] = [encoder.start];
  const notes: string[] = [];
  const append = async (bytes: Uint8Array): Promise<void> => void pieces.push(Buffer.from(bytes));
  for (let at = 0; at < rows.length; at += groupRows) {
    const text = rows.slice(at, at + groupRows).map(row => writeRow(row));
    const note = await encoder.group(Buffer.from(text.join('')), notes, append);
    if (note !== undefined) notes.push(note);
  }
  return Buffer.concat([...pieces, ...encoder.end(notes)]);
}

/** A file in memory. */
export const storedBytes = (bytes: Buffer): StoredBytes => ({
  size: bytes.length,
  // Each range has memory of its own.
  read: async (from, to) => Buffer.from(new Uint8Array(bytes.subarray(from, to)).buffer),
  readAs: (text, offset) => text.from(offset),
});

/** A source of such a file. */
export const parquetSource = (bytes: Buffer): ByteSource => ({
  ...sourceOf('in', Readable.from([])),
  stored: storedBytes(bytes),
});

/** The rows of a Parquet file as a CSV, as rowcast reads it: all columns that can be text. */
export async function textOfParquet(bytes: Buffer): Promise<string> {
  const file = await openParquet(storedBytes(bytes), 'in.parquet');
  const columns = file.values.filter(({ type }) => type.is !== 'unsupported');
  const header = Buffer.from(writeRow(columns.map(({ name }) => name)));
  const chunks: string[] = [];
  for await (const chunk of new ParquetText(file, columns, 'csv', header).from(0))
    chunks.push(chunk.toString());
  return chunks.join('');
}

/** A file with another footer. */
export function withFooter(bytes: Buffer, change: (footer: ThriftStruct) => void): Buffer {
  const at = bytes.length - 8;
  const start = at - bytes.readUInt32LE(at);
  const footer = readStruct(bytes.subarray(start, at));
  change(footer);
  const groups = footer.structs(FILE.groups);
  return Buffer.concat([
    bytes.subarray(0, start),
    ...fileEnd(footer, { count: groups.length, items: groups }),
  ]);
}

/** Changes structs of a list. */
export function changeAll(
  struct: ThriftStruct,
  id: number,
  change: (item: ThriftStruct, index: number) => void,
): void {
  const items = struct.structs(id);
  for (const [index, item] of items.entries()) change(item, index);
  struct.setStructs(id, items);
}
