import type { EncodedColumn } from '../../group-encoding.ts';
import { CHUNK, COLUMN, ELEMENT, FILE, GROUP } from '../footer/numbers.ts';
import { readStruct, type ThriftStruct } from '../footer/thrift.ts';
import { ByteWriter, ParquetWriter } from '../libraries.ts';

export type WrittenValue = number | bigint | string | boolean | null;

/** The type of the values of a column: `number` is a double, `integer` has 32 bits and `long` 64. */
export type WrittenType = keyof typeof ELEMENTS;

/** A column that is written. */
export interface WrittenColumn extends Pick<EncodedColumn, 'name' | 'isVaried'> {
  readonly type: WrittenType;
}

/** The columns of a group as a file has them. */
export interface WrittenChunks {
  readonly bytes: Buffer;
  /** The chunks, at the offsets that they have in a file of which this is the first group. */
  readonly chunks: ThriftStruct[];
  readonly uncompressedBytes: number;
}

/** Bytes before the first group. */
export const MAGIC_BYTES = 4;

/**
 * Writes the columns of a group of rows, at least one.
 *
 * @param values of each column
 */
export function writeChunks(
  columns: readonly WrittenColumn[],
  values: readonly WrittenValue[][],
): WrittenChunks {
  const { bytes, footer } = writeFile(columns, values);
  const [group] = footer.structs(FILE.groups);
  if (group === undefined) throw new Error('no group was written');
  const chunks = group.structs(GROUP.columns);
  for (const [index, { name }] of columns.entries()) {
    const column = chunks[index]?.struct(CHUNK.metadata);
    // The writer takes a point in a name for the end of a name.
    column?.setTexts(COLUMN.path, [name]);
  }
  return { bytes, chunks, uncompressedBytes: group.integer(GROUP.bytes) };
}

/** The elements of columns in a schema. */
export function elementsOf(columns: readonly EncodedColumn[]): ThriftStruct[] {
  const { footer } = writeFile(
    columns,
    columns.map(() => []),
  );
  const elements = footer.structs(FILE.schema).slice(1);
  for (const [index, { name }] of columns.entries()) elements[index]?.setText(ELEMENT.name, name);
  return elements;
}

/** The bytes between the magic number and the footer of a file of one group, and its footer. */
function writeFile(
  columns: readonly WrittenColumn[],
  values: readonly WrittenValue[][],
): { bytes: Buffer; footer: ThriftStruct } {
  // The names are set afterwards: the writer cannot have every one.
  const names = columns.map((_, index) => `c${index}`);
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'schema', num_children: columns.length },
      ...columns.map(({ type }, index) => ({ name: names[index] ?? '', ...ELEMENTS[type] })),
    ],
  });
  const columnData = names.map((name, index) => ({
    name,
    data: values[index] ?? [],
    offsetIndex: false,
    ...(columns[index]?.isVaried === true && { encoding: 'PLAIN' as const }),
  }));
  file.write({ columnData, rowGroupSize: Math.max(1, values[0]?.length ?? 0) });
  file.finish();
  const all = Buffer.from(writer.getBuffer());
  const end = all.length - 2 * MAGIC_BYTES;
  const start = end - all.readUInt32LE(end);
  return { bytes: all.subarray(MAGIC_BYTES, start), footer: readStruct(all.subarray(start, end)) };
}

const ELEMENTS = {
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  float: { type: 'FLOAT', repetition_type: 'OPTIONAL' },
  integer: { type: 'INT32', repetition_type: 'OPTIONAL' },
  long: { type: 'INT64', repetition_type: 'OPTIONAL' },
  boolean: { type: 'BOOLEAN', repetition_type: 'OPTIONAL' },
  text: {
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
    repetition_type: 'OPTIONAL',
  },
} as const;

/** A chunk that is at another place of a file, where nothing but its pages is. */
export function movedChunk(chunk: ThriftStruct, by: number): ThriftStruct {
  const moved = chunk.copy();
  const column = chunk.struct(CHUNK.metadata).copy();
  // Indexes and filters are elsewhere in the file.
  moved.delete(CHUNK.offsetIndex, CHUNK.offsetIndexBytes, CHUNK.columnIndex, CHUNK.columnIndexBytes);
  column.delete(COLUMN.bloomFilter, COLUMN.bloomFilterBytes);
  for (const id of [COLUMN.dataPage, COLUMN.indexPage, COLUMN.dictionaryPage])
    if (column.has(id) && column.integer(id) > 0) column.setInteger(id, column.integer(id) + by, 'i64');
  // It has no meaning any more (parquet.thrift), and readers ignore it.
  moved.setInteger(CHUNK.offset, 0, 'i64');
  moved.setStruct(CHUNK.metadata, column);
  return moved;
}
