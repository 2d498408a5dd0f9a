import { type ByteSource, chunksAfter } from '../../../formats/records/byte-source.ts';
import { UPLOAD_WINDOW_BYTES } from '../../../storage/codecs/codec.ts';
import { codecOfBytes, MAGIC_BYTES } from '../../../storage/codecs/codecs.ts';

/** The content of an upload that is read while it arrives, plain, gzip or zstd. @param name for messages */
export const arrivingSource = (stored: AsyncIterator<Buffer>, name: string): ByteSource => ({
  name,
  contentName: name,
  isLive: false,
  chunks: decompressed(stored, name),
  // Nobody else changes the file.
  checkUnchanged: async () => {},
});

async function* decompressed(stored: AsyncIterator<Buffer>, name: string): AsyncGenerator<Buffer> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < MAGIC_BYTES) {
    const { value, done } = await stored.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  yield* codecOfBytes(first).decompress(chunksAfter(first, stored), name, UPLOAD_WINDOW_BYTES);
}
