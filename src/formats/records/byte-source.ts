import type { StoredBytes } from '../../base/text-of-file.ts';

/** The part of a source that is needed to read it. */
export interface ByteSource {
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  /** The name without the suffix of a compression. */
  readonly contentName: string;
  /** The commands that make text in UTF-8 of the file, as of `PipedFile`; known once some bytes were read. */
  readonly decodedBy?: readonly string[] | undefined;
  /** Whether the bytes arrive as another process writes them. */
  readonly isLive: boolean;
  /**
   * The uncompressed bytes in order; can be read once. A chunk is valid until the next one is requested; an empty one
   * means that nothing arrived for a while.
   */
  readonly chunks: AsyncIterator<Buffer>;
  /** Its bytes as they are stored; undefined or left out if they can only be read once. */
  readonly stored?: StoredBytes | undefined;
  /** @throws RowcastError `input_changed` if the file has changed since it was opened */
  checkUnchanged(): Promise<void>;
}

/** A source of bytes that are there and that nothing else can change. */
export const sourceOf = (name: string, bytes: AsyncIterable<Buffer>): ByteSource => ({
  name,
  contentName: name,
  isLive: false,
  chunks: bytes[Symbol.asyncIterator](),
  checkUnchanged: async () => {},
});

/** Such a source of bytes that arrive while they are read, such as those of an upload. */
export const liveSource = (name: string, bytes: AsyncIterable<Buffer>): ByteSource => ({
  ...sourceOf(name, bytes),
  isLive: true,
});

/** Gives bytes that were already read, then the others. */
export async function* chunksAfter(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}
