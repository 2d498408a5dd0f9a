import { on } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { RowcastError } from '../../../base/errors.ts';
import { type Formats, readLayout } from '../../../formats/formats.ts';
import { type ByteSource, chunksAfter, sourceOf } from '../../../formats/records/byte-source.ts';
import { readBatches } from '../../../formats/records/read-batches.ts';
import { refuseRowAsHeader } from '../../../formats/refuse-row-as-header.ts';
import { UPLOAD_WINDOW_BYTES } from '../../../storage/codecs/codec.ts';
import { CODEC_START_BYTES, codecOfBytes } from '../../../storage/codecs/codecs.ts';
import { longFieldNote } from '../../../training/rows/open-batches.ts';
import { beginning, type FileFormat, MAX_FOOTER_BYTES } from '../../recognize-upload.ts';
import { ProfileBuilder } from './build-profile.ts';
import type { Profile } from './profile-shape.ts';

export interface ProfileJob {
  /** The name of the uploaded file, for messages. */
  name: string;
  format: FileFormat;
  delimiter: string | undefined;
  maxRecordBytes: number;
  maxColumns: number;
  /** The most bytes of its content, so that a small file cannot expand without end. */
  maxContentBytes: number;
  /** The most bytes of a row group of Parquet, uncompressed. */
  maxGroupBytes: number;
}

const BATCH_ROWS = 10_000;
const BATCH_BYTES = 1 << 20;

/**
 * Checks a whole file and makes its profile, in one pass.
 *
 * @throws RowcastError for the first error, as training would: it reads the file with the same rules
 */
export async function profileSource(
  source: ByteSource,
  job: ProfileJob,
  formats?: Formats,
): Promise<Profile> {
  const { name: file, format: inputFormat, delimiter, maxRecordBytes, maxContentBytes } = job;
  const options = { ...job, inputFormat, maxFooterBytes: MAX_FOOTER_BYTES };
  const { layout, rest } = await readLayout(source, options, formats);
  if (layout.columnsHint !== undefined && delimiter === undefined)
    throw new RowcastError('invalid_csv', 'the header has a single column that looks like several', {
      location: { file, line: 1 },
      hint: 'Choose the character that separates the columns, and upload the file again.',
    });
  // Lists and structs of Parquet are no columns here.
  if (layout.names.join() === '')
    throw new RowcastError('invalid_csv', 'the file has no columns that can be read', { location: { file } });
  refuseRowAsHeader({
    names: layout.names,
    file,
    hint: 'Add a first line that names the columns, and upload it again.',
  });
  const builder = new ProfileBuilder(layout, { file, maxRecordBytes });
  const records = layout.records({
    file,
    batchRows: BATCH_ROWS,
    batchBytes: () => BATCH_BYTES,
    maxRecordBytes,
    onLongField: field => void builder.notes.push(longFieldNote(field)),
    start: layout.start,
  });
  let contentBytes = layout.start.offset;
  for await (const batch of readBatches({ records, rest, source })) {
    builder.add(batch);
    contentBytes = batch.end.offset;
    if (contentBytes > maxContentBytes)
      throw new RowcastError('too_large', `the content of the file has more than ${maxContentBytes} bytes`, {
        location: { file },
      });
    records.release(contentBytes);
  }
  if (builder.rows === 0)
    throw new RowcastError('invalid_csv', 'the file has no rows', { location: { file } });
  return builder.build(contentBytes);
}

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
export const arrivingSource = (stored: AsyncIterator<Buffer>, name: string): ByteSource =>
  sourceOf(name, decompressed(stored, name));

async function* decompressed(stored: AsyncIterator<Buffer>, name: string): AsyncGenerator<Buffer> {
  const first = await beginning(stored, CODEC_START_BYTES);
  yield* codecOfBytes(first).decompress(chunksAfter(first, stored), name, UPLOAD_WINDOW_BYTES);
}
