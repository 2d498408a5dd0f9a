/** The memory of a buffer, to be passed to another thread; empty if the memory may have other buffers in it too. */
export function ownedBy({ buffer, length }: Uint8Array): ArrayBuffer[] {
  const isOwn = buffer instanceof ArrayBuffer && length > Buffer.poolSize >>> 1;
  return isOwn ? [buffer] : [];
}

/** What was a Buffer in another thread: structured cloning makes a Uint8Array of it. */
export const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);
