import type { Readable } from 'node:stream';
import type { fileFormats } from '../base/contract/file-formats.ts';
import { RowcastError } from '../base/errors.ts';
import { formats, recognize } from '../formats/formats.ts';
import { chunksAfter, liveSource } from '../formats/records/byte-source.ts';
import { UPLOAD_WINDOW_BYTES } from '../storage/codecs/codec.ts';
import { CODEC_START_BYTES, codecOfBytes, nameOfContent } from '../storage/codecs/codecs.ts';
import { DecodedSource } from '../storage/decoded-source.ts';
import { openLocalInput } from '../storage/local/local-input.ts';
import type { Source } from '../storage/source.ts';

export type FileFormat = (typeof fileFormats)[number];

/** An upload whose format is known. */
export interface RecognizedUpload {
  format: FileFormat;
  /** All of its bytes, read once. */
  bytes: AsyncIterable<Buffer>;
  /** The most that its decompressor has to remember, if that is much. */
  windowBytes: number;
}

/** The format that the name of a file tells, if it tells one. */
export function fileFormatOf(name: string): FileFormat | undefined {
  const content = nameOfContent(name);
  if (/\.tsv$/i.test(content)) return 'tsv';
  // Formats have these names.
  return formats.find(({ isNameOf }) => isNameOf(content))?.name as FileFormat | undefined;
}

/** What Parquet begins with, also if it is encrypted. */
const MAGIC = 'PAR';

/**
 * Finds the format of an upload as commands do: by its name, else by its first bytes, decompressed.
 *
 * @throws RowcastError `bad_parquet` if only the name says that it is Parquet; what the body fails with
 */
export async function recognizeUpload(body: Readable, name: string): Promise<RecognizedUpload> {
  const byName = fileFormatOf(name);
  const chunks = body[Symbol.asyncIterator]();
  const first = await beginning(chunks, CODEC_START_BYTES);
  const bytes = chunksAfter(first, chunks);
  const windowBytes = codecOfBytes(first).name === 'zstd' ? UPLOAD_WINDOW_BYTES : 0;
  if (byName === undefined) return { ...(await recognizeBytes(bytes, name)), windowBytes };
  // What else is wrong shows at the end of the file, but this spares sending it.
  if (byName === 'parquet' && first.toString('latin1', 0, MAGIC.length) !== MAGIC) throw onlyCalled(name);
  return { format: byName, bytes, windowBytes };
}

async function recognizeBytes(
  body: AsyncIterable<Buffer>,
  name: string,
): Promise<Omit<RecognizedUpload, 'windowBytes'>> {
  const { format, bytes } = await recognize({ ...liveSource(name, body), contentName: '' });
  if (format.name !== 'csv') return { format: format.name as FileFormat, bytes: iterable(bytes.chunks) };
  const first = await beginning(bytes.chunks, 1);
  const content = contentOf(first, name);
  const inside = await recognize({ ...liveSource(name, content), contentName: '' });
  await content.return(undefined);
  // Parquet is compressed inside, so reading one in gzip as CSV says what is wrong.
  const isLines = inside.format.name === 'jsonl';
  return { format: isLines ? 'jsonl' : 'csv', bytes: chunksAfter(first, bytes.chunks) };
}

async function* contentOf(first: Buffer, name: string): AsyncGenerator<Buffer> {
  async function* stored(): AsyncGenerator<Buffer> {
    yield first;
  }
  try {
    yield* codecOfBytes(first).decompress(stored(), name, UPLOAD_WINDOW_BYTES);
  } catch {
    // It is cut off here; reading all of it tells what is wrong with it, if anything is.
  }
}

/** The first bytes: at least `size`, unless there are fewer. */
export async function beginning(chunks: AsyncIterator<Buffer>, size: number): Promise<Buffer> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < size) {
    const { value, done } = await chunks.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  return first;
}

const onlyCalled = (file: string): RowcastError =>
  new RowcastError('bad_parquet', 'the file is called Parquet, but does not begin as one', {
    location: { file },
    hint: 'Give it the name of its format; Parquet is compressed inside.',
  });

const iterable = (chunks: AsyncIterator<Buffer>): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => chunks,
});

/**
 * The most bytes of a row group of Parquet, uncompressed: some are read at once, and each takes several times as much
 * memory.
 */
export const MAX_GROUP_BYTES = 256 << 20;

/**
 * The memory that an upload is counted with if its columns are described, or if it is Parquet: the heap of a thread or
 * a row group, and the window of its decompressor.
 */
export const UPLOAD_THREAD_BYTES = 512 << 20;

/**
 * The most bytes that describe the columns and groups of Parquet: they are read on the main thread, in less than a
 * second.
 */
export const MAX_FOOTER_BYTES = 1 << 20;

/**
 * An upload that was stored whole, of which any bytes can be read.
 *
 * @param name of the file as uploaded, for messages: no path of the service's machine is shown
 */
export const storedUpload = async (path: string, name: string): Promise<Source> =>
  new DecodedSource({ ...(await openLocalInput(path)), name }, false);
