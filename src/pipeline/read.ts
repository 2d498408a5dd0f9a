import { type Batch, countRows } from '../csv/batch.ts';
import { dialectOf } from '../csv/dialect.ts';
import { type Header, readHeader } from '../csv/header.ts';
import type { RecordReader } from '../csv/records.ts';
import type { Source } from '../io/source.ts';
import type { Accounts } from './accounts.ts';

export interface ReadOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
  maxRecordBytes: number;
}

/**
 * Reads a source as far as its header.
 *
 * @returns the header, and what was read beyond it
 */
export async function readHead(
  source: Source,
  options: ReadOptions,
): Promise<{ header: Header; rest: Buffer }> {
  const { maxRecordBytes } = options;
  const dialect = dialectOf({ ...options, file: source.name });
  let bytes = Buffer.alloc(0);
  for (;;) {
    const { value, done } = await source.chunks.next();
    if (value !== undefined) bytes = Buffer.concat([bytes, value]);
    const header = readHeader(bytes, done === true, { dialect, file: source.name, maxRecordBytes });
    if (header !== undefined) return { header, rest: bytes.subarray(header.bytes.length) };
  }
}

/**
 * The records stage: what is left of a source after its header, cut into batches.
 *
 * @param accounts where the rows are counted as they are read
 */
export async function* readBatches(
  records: RecordReader,
  rest: Buffer,
  source: Source,
  accounts: Accounts,
): AsyncGenerator<Batch> {
  function* counted(batches: Iterable<Batch>): Generator<Batch> {
    for (const batch of batches) {
      accounts.batches += 1;
      accounts.read += countRows(batch);
      accounts.bytesIn += batch.bytes.length;
      yield batch;
    }
  }
  if (rest.length > 0) yield* counted(records.push(rest));
  while (!records.full) {
    const { value, done } = await source.chunks.next();
    if (done) break;
    yield* counted(records.push(value));
  }
  yield* counted(records.end());
}
