import type { EncodedColumn } from '../../group-encoding.ts';
import {
  CHUNK,
  COLUMN,
  CONVERTED,
  ELEMENT,
  FILE,
  GROUP,
  LOGICAL,
  OPTIONAL,
  TYPES,
} from '../footer/numbers.ts';
import { readStruct, ThriftStruct } from '../footer/thrift.ts';
import { ByteWriter, ParquetWriter } from '../libraries.ts';
import { numberChunk } from './number-chunk.ts';
import { NumberColumn, numberColumn } from './number-column.ts';

export type WrittenValue = number | string | null;

/** The values of a column: as many as there are rows. */
export type ColumnValues = NumberColumn | readonly WrittenValue[];

/** The columns of a group as a file has them. */
export interface WrittenChunks {
  readonly parts: readonly Uint8Array[];
  /** The chunks, at the offsets that they have in a file of which this is the first group. */
  readonly chunks: readonly ThriftStruct[];
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
  columns: readonly EncodedColumn[],
  values: readonly ColumnValues[],
): WrittenChunks {
  const all: Uint8Array[] = [];
  const chunks: ThriftStruct[] = [];
  let uncompressedBytes = 0;
  let offset = MAGIC_BYTES;
  for (const [index, column] of columns.entries()) {
    const own = values[index] ?? [];
    const { parts, bytes, chunk } = isOwn(column, own)
      ? numberChunk(own instanceof NumberColumn ? own : numberColumn(own), column.name, offset)
      : writtenByLibrary(column, own, offset);
    all.push(...parts);
    chunks.push(chunk);
    offset += bytes;
    uncompressedBytes += chunk.struct(CHUNK.metadata).integer(COLUMN.uncompressedBytes);
  }
  return { parts: all, chunks, uncompressedBytes };
}

/** Whether numbers are written here: those that repeat take less space with a dictionary, which the library makes. */
const isOwn = ({ type, isVaried = false }: EncodedColumn, values: ColumnValues): boolean =>
  values instanceof NumberColumn || (type === 'number' && isVaried);

/** The elements of columns in a schema. */
export const elementsOf = (columns: readonly EncodedColumn[]): ThriftStruct[] =>
  columns.map(({ name, type }) => {
    const element = new ThriftStruct();
    element.setInteger(ELEMENT.type, TYPES.indexOf(type === 'number' ? 'DOUBLE' : 'BYTE_ARRAY'), 'i32');
    element.setInteger(ELEMENT.repetition, OPTIONAL, 'i32');
    element.setText(ELEMENT.name, name);
    if (type === 'number') return element;
    const logical = new ThriftStruct();
    logical.setStruct(LOGICAL.string, new ThriftStruct());
    element.setInteger(ELEMENT.converted, CONVERTED.indexOf('UTF8'), 'i32');
    element.setStruct(ELEMENT.logical, logical);
    return element;
  });

function writtenByLibrary(
  { name, type }: EncodedColumn,
  values: ColumnValues,
  offset: number,
): { parts: Uint8Array[]; bytes: number; chunk: ThriftStruct } {
  const writer = new ByteWriter();
  const schema = [
    { name: 'schema', num_children: 1 },
    { name: 'column', ...ELEMENTS[type] },
  ];
  const file = new ParquetWriter({ writer, schema });
  const data = values as WrittenValue[]; // numbers of a `NumberColumn` are written here
  file.write({ columnData: [{ name: 'column', data, offsetIndex: false }], rowGroupSize: data.length });
  file.finish();
  const all = Buffer.from(writer.getBuffer());
  const end = all.length - 2 * MAGIC_BYTES;
  const start = end - all.readUInt32LE(end);
  const [group] = readStruct(all.subarray(start, end)).structs(FILE.groups);
  const [chunk] = group?.structs(GROUP.columns) ?? [];
  if (chunk === undefined) throw new Error('no group was written');
  // The writer takes a point in a name for the end of a name.
  chunk.struct(CHUNK.metadata).setTexts(COLUMN.path, [name]);
  const bytes = all.subarray(MAGIC_BYTES, start);
  return { parts: [bytes], bytes: bytes.length, chunk: movedChunk(chunk, offset - MAGIC_BYTES) };
}

const ELEMENTS = {
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
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
