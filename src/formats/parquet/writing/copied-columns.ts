import type { RowGroup } from '../footer/chunk-table.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { CHUNK, COLUMN, ELEMENT } from '../footer/numbers.ts';
import { columnChunksOf, type ParquetFile, rangesOf } from '../footer/parquet-file.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import { movedChunk } from './file-end.ts';

/** A column of a file that is copied as it is, perhaps with another name. */
export interface CopiedColumn {
  readonly column: FileColumn;
  readonly name: string;
}

/** Bytes that are read at once. */
const PIECE_BYTES = 1 << 20;

/**
 * The bytes of the columns in a group, as they are in the file.
 *
 * @param isWritten whether they are being written, which a run that is being stopped still does
 */
export async function* copiedBytes(
  { groups, stored }: ParquetFile,
  columns: readonly CopiedColumn[],
  index: number,
  isWritten = false,
): AsyncGenerator<Buffer> {
  const group = groupAt(groups, index);
  const ranges = columns.flatMap(({ column }) => rangesOf(group, column));
  for (let next = 0; next < ranges.length; ) {
    const { from = 0, to: first = 0 } = ranges[next++] ?? {};
    let to = first;
    // Usually all columns are one after the other.
    for (; ranges[next]?.from === to; next++) to = ranges[next]?.to ?? to;
    for (let at = from; at < to; at += PIECE_BYTES)
      yield stored.read(at, Math.min(to, at + PIECE_BYTES), isWritten);
  }
}

/**
 * The chunks of the columns in a group.
 *
 * @param start where the bytes of the group begin in the new file
 */
export function copiedChunks(
  { groups }: ParquetFile,
  columns: readonly CopiedColumn[],
  index: number,
  start: number,
): { chunks: ThriftStruct[]; bytes: number; uncompressedBytes: number } {
  const chunks: ThriftStruct[] = [];
  let bytes = 0;
  let uncompressedBytes = 0;
  const group = groupAt(groups, index);
  for (const { column, name } of columns) {
    const [first] = column.leaves;
    for (const [place, chunk] of columnChunksOf(group, column).entries()) {
      const { from, to } = group.range(first + place);
      const moved = movedChunk(chunk, start + bytes - from);
      const metadata = moved.struct(CHUNK.metadata);
      if (name !== column.name) {
        const [, ...path] = metadata.items(COLUMN.path).map(String);
        metadata.setTexts(COLUMN.path, [name, ...path]);
      }
      chunks.push(moved);
      bytes += to - from;
      uncompressedBytes += group.uncompressedBytes(first + place);
    }
  }
  return { chunks, bytes, uncompressedBytes };
}

function groupAt(groups: ParquetFile['groups'], index: number): RowGroup {
  const group = groups[index];
  if (group === undefined) throw new Error(`there is no group ${index}`);
  return group;
}

/** The elements of columns in a schema. */
export const copiedElements = (columns: readonly CopiedColumn[]): ThriftStruct[] =>
  columns.flatMap(({ column: { elements }, name }) => {
    const [first, ...others] = elements;
    const own = first?.copy();
    own?.setText(ELEMENT.name, name);
    return own === undefined ? [] : [own, ...others];
  });
