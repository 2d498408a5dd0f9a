import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { type ByteSource, chunksAfter } from '../../../formats/records/byte-source.ts';
import { UPLOAD_WINDOW_BYTES } from '../../../storage/codecs/codec.ts';
import { CODEC_START_BYTES, codecOfBytes } from '../../../storage/codecs/codecs.ts';
import { beginning } from '../../recognize-upload.ts';

/**
 * Bytes that arrive as messages, up to an empty one.
 *
 * @param onRead called after each message with how many bytes have been read
 */
export async function* arrivingBytes(
  port: MessagePort,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let read = 0;
  // Only `startProfile` posts here.
  for await (const [{ buffer }] of on(port, 'message') as AsyncIterable<[Uint8Array]>) {
    if (buffer.byteLength === 0) return;
    yield Buffer.from(buffer);
    read += buffer.byteLength;
    onRead(read);
  }
}

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
  const first = await beginning(stored, CODEC_START_BYTES);
  yield* codecOfBytes(first).decompress(chunksAfter(first, stored), name, UPLOAD_WINDOW_BYTES);
}
