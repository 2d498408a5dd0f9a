import type { ByteSource } from './byte-source.ts';

/** A source of bytes that arrive while they are read and that nothing else can change, such as those of an upload. */
export function liveSource(name: string, bytes: AsyncIterable<Buffer>): ByteSource {
  return {
    name,
    contentName: name,
    isLive: true,
    chunks: bytes[Symbol.asyncIterator](),
    checkUnchanged: async () => {},
  };
}
