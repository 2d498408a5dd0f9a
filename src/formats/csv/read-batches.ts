import type { Batch } from '../records/batch.ts';
import type { BatchReader } from '../records/batch-reader.ts';
import { dialectOf } from './dialect.ts';
import { type Header, readBytes, readHeader } from './header.ts';
import { headerOfNames } from './header-of-names.ts';
import { newScan } from './records/scan-record.ts';

/** The result of reading a header. */
export interface Head {
  header: Header;
  /** Bytes that were read after the header. */
  rest: Buffer;
}

/** The part of a source that is needed to read it. */
export interface ByteSource {
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  /** The same without the suffix of a compression. */
  readonly contentName: string;
  /** Whether the bytes arrive as another process writes them. */
  readonly isLive: boolean;
  /**
   * The uncompressed bytes in order; can be read once. A chunk is valid until the next one is requested; an empty one
   * means that nothing arrived for a while.
   */
  readonly chunks: AsyncIterator<Buffer>;
  /** @throws RowcastError `input_changed` if the file has changed since it was opened */
  checkUnchanged(): Promise<void>;
}

export interface ReadOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
  maxRecordBytes: number;
  /** By default a million. */
  maxColumns?: number | undefined;
  /** The columns of an input without a header line; `numbers` names them 1, 2 and so on. */
  names?: readonly string[] | 'numbers' | undefined;
  /** Whether a lone CR ends the records of an input without a header line; by default, its first record tells. */
  loneCr?: boolean | undefined;
}

/**
 * Reads the header of a source.
 *
 * @returns the header, and the bytes that were read after it
 */
export async function readHead(
  source: Pick<ByteSource, 'name' | 'contentName' | 'chunks'>,
  options: ReadOptions,
): Promise<Head> {
  const { maxRecordBytes, maxColumns, names, loneCr } = options;
  const dialect = dialectOf({ ...options, file: source.contentName });
  const limits = { dialect, file: source.name, maxRecordBytes, maxColumns };
  const scan = newScan(0);
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  for (;;) {
    const { value, done } = await source.chunks.next();
    if (value !== undefined) {
      buffer = withRoom(buffer, length, value.length);
      length += value.copy(buffer, length);
    }
    const bytes = buffer.subarray(0, length);
    const header =
      names === undefined
        ? readHeader(bytes, done === true, { ...limits, scan })
        : headerOfNames(names, bytes, done === true, { ...limits, loneCr, scan });
    if (header !== undefined) return { header, rest: bytes.subarray(readBytes(header).length) };
  }
}

/** A buffer with the same first `length` bytes and room for more. The size doubles, so that little is copied twice. */
function withRoom(buffer: Buffer, length: number, more: number): Buffer {
  if (length + more <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(2 * (length + more));
  buffer.copy(larger, 0, 0, length);
  return larger;
}

/** Rows from a pipe that have waited this long are sent as an incomplete batch. */
const MAX_WAIT_MS = 200;

export interface BatchesOptions {
  records: BatchReader;
  /** Bytes of the source that were read already. */
  rest: Buffer;
  source: Omit<ByteSource, 'name' | 'contentName'>;
  /** Aborted when no further batch is wanted; the source is closed then. */
  stop?: AbortSignal;
}

/**
 * The records stage: a source cut into batches.
 *
 * @throws RowcastError if the input is invalid or cannot be read, after the batches before the error
 */
export async function* readBatches({ records, rest, source, stop }: BatchesOptions): AsyncGenerator<Batch> {
  try {
    yield* records.push(rest);
    let waited = 0;
    while (!records.full) {
      const asked = performance.now();
      const { value, done } = await source.chunks.next();
      if (done || stop?.aborted) break;
      waited += performance.now() - asked;
      for (const batch of records.push(value)) {
        waited = 0;
        yield batch;
      }
      // A producer that writes a line now and then is never idle for long, but its rows must not wait either.
      // This does not apply to files, however slow: their batches must be the same in every run.
      if (waited < MAX_WAIT_MS || !source.isLive) continue;
      waited = 0;
      yield* records.push(Buffer.alloc(0));
    }
    if (stop?.aborted) return;
    // If the file is being written or truncated, its last record may be incomplete.
    if (!records.full) await source.checkUnchanged();
    yield* records.end();
  } catch (failure) {
    // Closing the source to stop the run makes the read fail; that error is ignored.
    if (!stop?.aborted) throw failure;
  }
}
