import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { gzip as gzipAsync, gzipSync } from 'node:zlib';
import { RowcastError } from '../../base/errors.ts';
import { checkHint } from '../../base/shell-pipe.ts';
import { CHUNK_BYTES } from '../source.ts';
import type { Codec } from './codec.ts';
import { membersPartial } from './members-partial.ts';
import { PaddedGunzip } from './padded-gunzip.ts';

/**
 * Gzip's own level 6 takes half as much time again for files that are 4 % smaller. A member of 1 MiB is usually returned
 * in one piece of this size, instead of one of 16 KiB after the other (test/bench/RESULTS.md).
 */
const OPTIONS = { level: 5, chunkSize: 1 << 19 };

const compress = (bytes: Buffer): Promise<Buffer> => promisify(gzipAsync)(bytes, OPTIONS);

/** Gzip files (RFC 1952), of one member or several (section 2.2). */
export const gzip: Codec = {
  name: 'gzip',
  suffix: '.gz',
  decompressor: 'gzip -dc',
  isStart: bytes => bytes[0] === 0x1f && bytes[1] === 0x8b,
  decompress: gunzip,
  partialFile: (file, from) => membersPartial(file, from, compress),
  compressNow: bytes => gzipSync(bytes),
};

/** A stream holds a chunk while it asks for the next one. */
async function* copied(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function* gunzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  // Errors are reported to the reader of the last stream.
  const plain = pipeline(copied(chunks), new PaddedGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  try {
    for await (const chunk of plain) yield chunk;
  } catch (cause) {
    if (cause instanceof RowcastError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException; // errors of zlib
    const isUnfinished = code === 'Z_BUF_ERROR';
    const what = isUnfinished ? 'the gzip data is truncated' : `the gzip data is damaged: ${message}`;
    throw new RowcastError('bad_gzip', what, {
      severity: 'stopped',
      location: { file },
      hint: checkHint(file, 'gzip -t'),
      isUnfinished,
      cause,
    });
  }
}
