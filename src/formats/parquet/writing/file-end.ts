import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { CHUNK, COLUMN, FILE } from '../footer/numbers.ts';
import { readStruct, type ThriftStruct, writeStruct, writeStructWith } from '../footer/thrift.ts';

/** What a file begins and ends with. */
export const MAGIC = Buffer.alloc(4, 'PAR1');

/** Bytes that are yielded together: what is written of a group may be short. */
const PIECE_BYTES = 64 << 10;

/**
 * What follows the last group of a file, group by group.
 *
 * @param footer without its groups
 */
export function* fileEnd(
  footer: ThriftStruct,
  groups: { count: number; items: Iterable<ThriftStruct> },
): Generator<Buffer> {
  let pieces: Buffer[] = [];
  let [held, length] = [0, 0];
  for (const piece of writeStructWith(footer, FILE.groups, groups)) {
    pieces.push(piece);
    held += piece.length;
    length += piece.length;
    if (held < PIECE_BYTES) continue;
    yield Buffer.concat(pieces);
    [pieces, held] = [[], 0];
  }
  const size = Buffer.alloc(4);
  size.writeUInt32LE(length);
  yield Buffer.concat([...pieces, size, MAGIC]);
}

/** A shorter note is not compressed. */
const SHORT_BYTES = 1 << 10;
/** What a compressed note begins with, which base64 does not have. */
const COMPRESSED = ':';

/**
 * What the footer needs of a group, as a text: its columns are much alike, and compressed they take a quarter of the
 * memory, also in checkpoints.
 */
export function groupNote(group: ThriftStruct): string {
  const bytes = writeStruct(group);
  if (bytes.length < SHORT_BYTES) return bytes.toString('base64');
  return COMPRESSED + deflateRawSync(bytes).toString('base64');
}

export function readGroupNote(note: string): ThriftStruct {
  if (!note.startsWith(COMPRESSED)) return readStruct(Buffer.from(note, 'base64'));
  return readStruct(inflateRawSync(Buffer.from(note.slice(COMPRESSED.length), 'base64')));
}

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
