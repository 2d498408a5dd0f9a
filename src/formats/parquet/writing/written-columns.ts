import type { EncodedGroupColumn } from '../../group-encoding.ts';
import { CHUNK, COLUMN, CONVERTED, ELEMENT, LOGICAL, OPTIONAL, TYPES } from '../footer/numbers.ts';
import { structOf, ThriftStruct } from '../footer/thrift.ts';
import { numberChunk } from './number-chunk.ts';
import { NumberColumn } from './number-column.ts';
import type { ChunkValues } from './read-values.ts';
import { valueChunk } from './value-chunk.ts';
import type { PhysicalType } from './written-chunk.ts';

/** The columns of a group as a file has them. */
export interface WrittenChunks {
  readonly parts: readonly Uint8Array[];
  /** The chunks, at the offsets that they have in a file of which this is the first group. */
  readonly chunks: readonly ThriftStruct[];
  readonly uncompressedBytes: number;
}

/** Bytes before the first group. */
export const PARQUET_MAGIC_BYTES = 4;

/**
 * Writes the columns of a group of rows, at least one.
 *
 * @param values of each column
 */
export function writeChunks(
  columns: readonly EncodedGroupColumn[],
  values: readonly ChunkValues[],
): WrittenChunks {
  const all: Uint8Array[] = [];
  const chunks: ThriftStruct[] = [];
  let uncompressedBytes = 0;
  let offset = PARQUET_MAGIC_BYTES;
  for (const [index, column] of columns.entries()) {
    const own = values[index];
    if (own === undefined) throw new Error('a column has no values');
    const { parts, bytes, chunk } =
      own instanceof NumberColumn
        ? numberChunk(own, column.name, offset)
        : valueChunk(own, { name: column.name, type: typeOf(column) }, offset);
    all.push(...parts);
    chunks.push(chunk);
    offset += bytes;
    uncompressedBytes += chunk.struct(CHUNK.metadata).integer(COLUMN.uncompressedBytes);
  }
  return { parts: all, chunks, uncompressedBytes };
}

const typeOf = ({ type }: EncodedGroupColumn): PhysicalType => (type === 'number' ? 'DOUBLE' : 'BYTE_ARRAY');

/** The elements of columns in a schema. */
export const elementsOf = (columns: readonly EncodedGroupColumn[]): ThriftStruct[] =>
  columns.map(column => {
    const isText = column.type === 'text';
    return structOf('i32', {
      [ELEMENT.type]: TYPES.indexOf(typeOf(column)),
      [ELEMENT.repetition]: OPTIONAL,
      [ELEMENT.name]: column.name,
      [ELEMENT.converted]: isText ? CONVERTED.indexOf('UTF8') : undefined,
      [ELEMENT.logical]: isText ? structOf('i32', { [LOGICAL.string]: new ThriftStruct() }) : undefined,
    });
  });

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
