import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** The memory of a buffer, to be passed to another thread; empty if the memory may have other buffers in it too. */
export function ownedBy({ buffer, length }: Uint8Array): ArrayBuffer[] {
  const isOwn = buffer instanceof ArrayBuffer && length > Buffer.poolSize >>> 1;
  return isOwn ? [buffer] : [];
}

/** A port that nothing listens to: what is passed to it is freed. */
let nowhere: MessagePort | undefined;

/**
 * Frees the memory of a buffer at once, which is empty then. V8 collects buffers late, because it counts the few bytes
 * of their objects only: a thread would keep tens of megabytes that nothing refers to. Buffers that share their memory
 * stay, and so does one without bytes: it may have been freed, and Node 26 does not pass such memory again.
 */
export function free(bytes: Uint8Array | Float64Array): void {
  if (nowhere === undefined) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    nowhere = port1;
  }
  const { buffer, byteLength } = bytes;
  if (byteLength === 0) return;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) nowhere.postMessage(null, [buffer]);
}

/** What was a Buffer in another thread: structured cloning makes a Uint8Array of it. */
export const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);
