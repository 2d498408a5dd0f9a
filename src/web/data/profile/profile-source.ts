import { RowcastError } from '../../../base/errors.ts';
import { type Formats, readLayout } from '../../../formats/formats.ts';
import { readBatches } from '../../../formats/records/read-batches.ts';
import { refuseRowAsHeader } from '../../../formats/refuse-row-as-header.ts';
import { codecOfBytes, MAGIC_BYTES } from '../../../storage/codecs/codecs.ts';
import { longFieldNote } from '../../../training/rows/long-field-note.ts';
import { storedName } from '../data-files.ts';
import { ProfileBuilder } from './build-profile.ts';
import type { Profile } from './profile-shape.ts';

export interface ProfileJob {
  /** The name of the uploaded file: for messages, and `.tsv` decides the dialect. */
  name: string;
  delimiter: string | undefined;
  maxRecordBytes: number;
  maxColumns: number;
  /** The most bytes after decompression, so that a small file cannot expand without end. */
  maxContentBytes: number;
}

const BATCH_ROWS = 10_000;
const BATCH_BYTES = 1 << 20;

/**
 * Checks a whole CSV, or JSON lines, plain, gzip or zstd, and makes its profile, in one pass.
 *
 * @throws RowcastError for the first error, as training would: it reads the file with the same rules
 */
export async function profileSource(
  stored: AsyncIterator<Buffer>,
  job: ProfileJob,
  formats?: Formats,
): Promise<Profile> {
  const { name: file, delimiter, maxRecordBytes } = job;
  const content = contentOf(stored, job);
  const source = {
    name: file,
    contentName: storedName(file),
    chunks: content.chunks,
    isLive: false,
    // Nobody else changes the file.
    checkUnchanged: async () => {},
  };
  const options = { delimiter, maxRecordBytes, maxColumns: job.maxColumns };
  const { layout, rest } = await readLayout(source, options, formats);
  if (layout.columnsHint !== undefined && delimiter === undefined)
    throw new RowcastError('invalid_csv', 'the header has a single column that looks like several', {
      location: { file, line: 1 },
      hint: 'Choose the character that separates the columns, and upload the file again.',
    });
  refuseRowAsHeader({
    names: layout.names,
    file,
    hint: 'Add a first line that names the columns, and upload it again.',
  });
  const builder = new ProfileBuilder(layout, file);
  const records = layout.records({
    file,
    batchRows: BATCH_ROWS,
    batchBytes: () => BATCH_BYTES,
    rowOverhead: 0,
    maxRecordBytes,
    onLongField: field => void builder.notes.push(longFieldNote(field)),
    start: layout.start,
  });
  for await (const batch of readBatches({ records, rest, source })) {
    builder.add(batch);
    records.release(batch.end.offset);
  }
  if (builder.rows === 0)
    throw new RowcastError('invalid_csv', 'the file has a header, but no rows', { location: { file } });
  return builder.build(content.bytes());
}

/** The decompressed bytes, and how many there were so far. */
function contentOf(
  stored: AsyncIterator<Buffer>,
  { name, maxContentBytes }: ProfileJob,
): { chunks: AsyncIterator<Buffer>; bytes(): number } {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    let first: Buffer = Buffer.alloc(0);
    while (first.length < MAGIC_BYTES) {
      const { value, done } = await stored.next();
      if (done) break;
      first = Buffer.concat([first, value]);
    }
    for await (const chunk of codecOfBytes(first).decompress(followedBy(first, stored), name)) {
      bytes += chunk.length;
      if (bytes > maxContentBytes)
        throw new RowcastError('too_large', `decompressed, the file has more than ${maxContentBytes} bytes`, {
          location: { file: name },
        });
      yield chunk;
    }
  }
  return { chunks: chunks(), bytes: () => bytes };
}

async function* followedBy(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (;;) {
    const { value, done } = await others.next();
    if (done) return;
    yield value;
  }
}
