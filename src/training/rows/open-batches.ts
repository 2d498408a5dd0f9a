import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Layout, Opened } from '../../formats/format.ts';
import { type Formats, readLayout } from '../../formats/formats.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import type { Batch } from '../../formats/records/batch.ts';
import {
  type BatchOptions,
  type BatchReader,
  type LongField,
  readBatches,
} from '../../formats/records/read-batches.ts';
import { backendsOf, openSource, type StoreValues } from '../../storage/backends.ts';
import type { Source } from '../../storage/source.ts';

/** How training data is read. */
export interface OpenOptions extends ReadOptions, Pick<StoreValues, 'storeOptions'> {
  /** The encoding of the text, if it is not UTF-8. */
  encoding?: string | undefined;
  /** The formats that the file may have, if not the default ones. */
  formats?: Formats | undefined;
  /**
   * The columns that are needed, by those that the file has: others of a file that is not text are not decoded. By
   * default all.
   *
   * @throws RowcastError
   */
  choose?: ((names: readonly string[], file: string) => readonly string[]) | undefined;
}

/** An opened input whose records are read but not scored. */
interface OpenRecords extends Pick<BatchReader, 'release'> {
  /** For messages: the path, or `stdin`. */
  name: string;
  /** As of `ByteSource`. */
  decodedBy: readonly string[];
  layout: Layout;
  /**
   * Its records, which can be read only once.
   *
   * @throws RowcastError for an invalid input, after the batches before the error
   */
  batches: AsyncGenerator<Batch>;
  /**
   * The SHA-256 of the bytes as stored, once all batches were read; null if a pipe has more of them.
   *
   * @throws RowcastError `input_changed`
   */
  sha256(): Promise<string | null>;
  close(): void;
}

const BATCH_ROWS = 10_000;

/**
 * Opens a file, or stdin for `-`, plain, gzip or zstd, and reads its header.
 *
 * @throws RowcastError `no_such_file`, `unreadable_input`, `empty_input`, `bad_header`, `bad_dialect`, `bad_encoding`,
 *   `bad_option`
 */
export async function openRecords(
  input: string,
  options: OpenOptions & Pick<BatchOptions, 'onLongField' | 'batchBytes'>,
): Promise<OpenRecords> {
  const source = await openSource(input, true, options.encoding, backendsOf(options));
  try {
    const { layout, rest } = await readChosen(source, options);
    const records = layout.records({
      file: source.name,
      batchRows: BATCH_ROWS,
      batchBytes: options.batchBytes ?? (() => 1 << 20),
      maxRecordBytes: options.maxRecordBytes,
      onLongField: options.onLongField,
      start: layout.start,
    });
    const batches = readBatches({ records, rest, source });
    const sha256 = async (): Promise<string | null> => {
      const digest = await source.sha256();
      // A file is read a second time.
      await source.checkUnchanged();
      return digest;
    };
    return {
      name: source.name,
      decodedBy: source.decodedBy,
      layout,
      batches,
      release: offset => records.release(offset),
      sha256,
      close: () => source.close(),
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

async function readChosen(source: Source, options: OpenOptions): Promise<Opened> {
  const { format, ...opened } = await readLayout(source, options, options.formats);
  const columns = options.choose?.(opened.layout.names, source.name);
  if (columns === undefined || format.encoder === undefined) return opened;
  const writes = { name: source.contentName, format: 'csv' };
  return format.readLayout(source, { ...options, columns, keep: 'none', writes });
}

/**
 * A note about a field that a stray quote may have made.
 *
 * @param file its name, if there are several
 */
export const longFieldNote = ({ line, lines, bytes }: LongField, file?: string): string =>
  `The quoted field that opens on line ${line}${file === undefined ? '' : ` of ${sanitize(file)}`} has ${countOf(lines, 'line')} and ${countOf(bytes, 'byte')}. If that is too long, a stray quote has made the following rows part of this field.`;

/** Records parsed at once: a copy of all of them would take as much memory as the file. */
const CHUNK_RECORDS = 5000;

/**
 * Batches of well-formed records that were kept as Latin-1 strings: one byte per character, a quarter of the memory of
 * buffers.
 */
export function* keptBatches(
  layout: Layout,
  records: readonly string[],
  maxRecordBytes: number,
): Generator<Batch> {
  for (let from = 0; from < records.length; from += CHUNK_RECORDS) {
    const reader = layout.records({
      file: 'sample',
      batchRows: CHUNK_RECORDS,
      maxRecordBytes,
      start: layout.start,
    });
    yield* reader.push(Buffer.from(records.slice(from, from + CHUNK_RECORDS).join(''), 'latin1'));
    yield* reader.end();
  }
}
