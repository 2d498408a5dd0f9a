import type { Readable } from 'node:stream';
import type { fileFormats } from '../base/contract/file-formats.ts';
import { RowcastError } from '../base/errors.ts';
import { recognize } from '../formats/formats.ts';
import { chunksAfter } from '../formats/records/chunks-after.ts';
import { liveSource } from '../formats/records/live-source.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';

export type FileFormat = (typeof fileFormats)[number];

/** An upload whose format is known. */
export interface RecognizedUpload {
  format: FileFormat;
  /** All of its bytes, read once. */
  bytes: AsyncIterable<Buffer>;
}

/** What Parquet begins with, also if it is encrypted. */
const MAGIC = 'PAR';

/**
 * Finds the format of an upload as commands do: by its name, else by its first bytes. Those of a compressed file tell
 * nothing, so it is CSV unless its name says otherwise.
 *
 * @throws RowcastError `bad_parquet` if only the name says that it is Parquet; what the body fails with
 */
export async function recognizeUpload(body: Readable, name: string): Promise<RecognizedUpload> {
  const contentName = nameOfContent(name);
  const { format, bytes } = await recognize({ ...liveSource(name, body), contentName });
  const isTabs = /\.tsv$/i.test(contentName);
  // The formats have these names.
  if (format.name !== 'parquet')
    return { format: isTabs ? 'tsv' : (format.name as FileFormat), bytes: iterable(bytes.chunks) };
  let first: Buffer = Buffer.alloc(0);
  while (first.length < MAGIC.length) {
    const { value, done } = await bytes.chunks.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  // The rest of the error is found at the end of the file, so this one spares sending it.
  if (first.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new RowcastError('bad_parquet', 'the file is called Parquet, but does not begin as one', {
      location: { file: name },
      hint: 'Give it the name of its format; Parquet is compressed inside.',
    });
  return { format: 'parquet', bytes: chunksAfter(first, bytes.chunks) };
}

const iterable = (chunks: AsyncIterator<Buffer>): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => chunks,
});
