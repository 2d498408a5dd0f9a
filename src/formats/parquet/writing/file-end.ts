import { type ThriftStruct, writeStruct } from '../footer/thrift.ts';
import { MAGIC_BYTES } from './written-columns.ts';

/** What a file begins and ends with. */
export const MAGIC = Buffer.alloc(MAGIC_BYTES, 'PAR1');

/** What follows the last group of a file. */
export function fileEnd(footer: ThriftStruct): Buffer {
  const bytes = writeStruct(footer);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([bytes, length, MAGIC]);
}
