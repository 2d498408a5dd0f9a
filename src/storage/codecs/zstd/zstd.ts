import type { Codec } from '../codec.ts';
import { membersPartial } from '../members-partial.ts';
import { findZstd } from './find-zstd.ts';

/** The magic numbers of a frame, and of the 16 kinds of skippable ones (RFC 8878, sections 3.1.1 and 3.1.2), in hex. */
const MAGIC = /^(?:28b52ffd|5.2a4d18)/;

/** Zstandard files (RFC 8878), of one frame or several. */
export const zstd: Codec = {
  name: 'zstd',
  suffix: '.zst',
  decompressor: 'zstd -dc',
  isStart: bytes => MAGIC.test(bytes.toString('hex', 0, 4)),
  checkAvailable: file => void findZstd(file),
  decompress: (chunks, file, maxWindowBytes) => findZstd(file).decompress(chunks, file, maxWindowBytes),
  partialFile: (file, from) => membersPartial(file, from, findZstd('').compress),
  compressNow: bytes => findZstd('').compressNow(bytes),
};
