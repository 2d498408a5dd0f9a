import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readStruct, type ThriftStruct, writeStruct } from '../footer/thrift.ts';

/** A shorter note is not compressed. */
const SHORT_BYTES = 1 << 10;
/** What a compressed note begins with, which base64 does not have. */
const COMPRESSED = ':';

/**
 * What the footer needs of a group, as a text: its columns are much alike, and compressed they take a quarter of the memory, also
 * in checkpoints.
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
