import { EventEmitter, once } from 'node:events';
import { open } from 'node:fs/promises';
import type { MessagePort } from 'node:worker_threads';
import { type ByteSource, chunksAfter } from '../../../formats/records/byte-source.ts';
import { UPLOAD_WINDOW_BYTES } from '../../../storage/codecs/codec.ts';
import { codecOfBytes, MAGIC_BYTES } from '../../../storage/codecs/codecs.ts';

/** How much of the file has been written. */
export interface Growth {
  size: number;
  isWhole: boolean;
}

const CHUNK_BYTES = 256 << 10;

/** How much of the file has been read. */
export interface Checked {
  checked: number;
}

/**
 * The bytes of a file that another thread is still writing. That thread reports how far it has written the file, and gets
 * back how far the file has been read.
 */
export async function* growingFile(path: string, port: MessagePort): AsyncGenerator<Buffer> {
  let known: Growth = { size: 0, isWhole: false };
  const events = new EventEmitter<{ growth: [] }>();
  // Only the thread's parent posts here, and only Growth.
  port.on('message', (growth: Growth) => {
    known = growth;
    events.emit('growth');
  });
  const file = await open(path);
  try {
    for (let at = 0; ; ) {
      if (at < known.size) {
        const length = Math.min(CHUNK_BYTES, known.size - at);
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
        if (bytesRead === 0) throw new Error(`${path} is shorter than it was`);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
        port.postMessage({ checked: at } satisfies Checked);
      } else if (known.isWhole) return;
      else await once(events, 'growth');
    }
  } finally {
    await file.close();
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
  let first: Buffer = Buffer.alloc(0);
  while (first.length < MAGIC_BYTES) {
    const { value, done } = await stored.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  yield* codecOfBytes(first).decompress(chunksAfter(first, stored), name, UPLOAD_WINDOW_BYTES);
}
