import { RowcastError } from '../../base/errors.ts';
import { DEFAULT_PREFIX } from '../../formats/appended.ts';
import type { Comparison } from '../../formats/comparison.ts';
import type { Layout, Opened, WrittenColumns } from '../../formats/format.ts';
import { type Formats, recognizeInput, recognizeWritten, rejectsFormat } from '../../formats/formats.ts';
import type { ColumnOptions } from '../../formats/output-columns.ts';
import type { ReadAs, ReadOptions } from '../../formats/read-options.ts';
import type { LongField } from '../../formats/records/read-batches.ts';
import { backendsOf, type StoreValues, withSources } from '../../storage/backends.ts';
import type { Source } from '../../storage/source.ts';
import type { AppendedCheck } from './check-appended.ts';
import { compare, type VerifiedRows } from './compare.ts';
import { compareHeaders, expectedNames, type OutputShape } from './compare-header.ts';
import { hintAtHeader } from './compare-row.ts';
import { compareSample, type PredictedAgain, type SampledColumns } from './compare-sample.ts';
import { mismatch, RecordCursor } from './record-cursor.ts';
import { type SampledRow, sampleOf } from './sample.ts';

export interface VerifyOutputOptions extends Omit<ReadOptions, 'names'>, OutputShape, StoreValues {
  /** The column names that the run had, of an input without a header line. */
  names?: readonly string[] | undefined;
  /** The encoding of INPUT, if it is not UTF-8. */
  encoding?: string | undefined;
  /** A path or `-` for stdin. All files may be plain, gzip or zstd. */
  input: string;
  output: string;
  /** The rejects file, if there is one. */
  rejects?: string | undefined;
  /** The rows that `repair` put into their places, as they were rejected, if there are any. */
  repaired?: string | undefined;
  /** The --limit that the run had. */
  limit?: number | undefined;
  /** Receives the counts so far. */
  tally?: VerifiedRows | undefined;
  sample?: SampleOptions | undefined;
  /** The formats that the files may have, if not the default ones. */
  formats?: Formats | undefined;
  /** Called with whether rows are compared by their bytes or by the values of their fields. */
  onComparison?: ((preserves: Comparison['preserves']) => void) | undefined;
  /** Called for the first suspiciously long quoted field of INPUT: it may have swallowed rows. */
  onLongField?: ((field: LongField) => void) | undefined;
}

/** Rows that are predicted again and compared. */
export interface SampleOptions {
  /** How many, if there are as many that were scored. */
  size: number;
  /**
   * Predicts rows as the run did.
   *
   * @param file a file of the rows
   * @param readAs how it is read
   */
  predict(file: Buffer, readAs: ReadAs): Promise<PredictedAgain>;
  /** Called with the number of rows that agree. */
  onCompared(rows: number): void;
}

/** Maximum bytes that a record of OUTPUT or of the rejects file may have in addition to the input's. */
const APPENDED_BYTES = 16 << 20;

/**
 * Verifies a finished pair: every record of INPUT is in OUTPUT exactly once, in order, with its own bytes unchanged and
 * valid predictions; malformed records are only in the rejects file. The files are read side by side.
 *
 * @throws RowcastError `difference`, the first one found; `bad_option` for a sample with other columns; `no_such_file`,
 *   `unreadable_input` and other errors of INPUT
 */
export async function verifyOutput(options: VerifyOutputOptions): Promise<VerifiedRows> {
  const { input, output, rejects, repaired } = options;
  return withSources(backendsOf(options), async open =>
    verifySources(
      await open(input, options.encoding),
      await open(output),
      rejects === undefined ? undefined : await open(rejects),
      repaired === undefined ? undefined : await open(repaired),
      options,
    ),
  );
}

async function verifySources(
  input: Source,
  output: Source,
  rejects: Source | undefined,
  repaired: Source | undefined,
  options: Omit<VerifyOutputOptions, 'input' | 'output' | 'rejects' | 'repaired'>,
): Promise<VerifiedRows> {
  const { format, bytes } = await recognizeInput(input, options, options.formats);
  const written = await recognizeWritten(output, format, options.formats);
  // An input of another format is read as that of which the output was made.
  const isOther = written.format !== format;
  const hasNumbers = isOther && written.format.encoder !== undefined;
  const writes = { name: output.contentName, format: written.format.name, hasNumbers, isThere: true };
  const maxRecordBytes = options.maxRecordBytes + APPENDED_BYTES;
  const readScored = (readAs: ReadAs): Promise<Opened> => {
    const names = options.outputHeader === false ? ('numbers' as const) : undefined;
    const read = { ...readAs, maxRecordBytes, names, nulls: options.nulls };
    return written.format.readLayout(written.bytes, read).catch(error => brokenFile(error));
  };
  // What such a file has in a column says what could be in its rows.
  const before = hasNumbers ? await readScored({}) : undefined;
  const types = before && typesOfInput(before.layout, options);
  const own = await format.readLayout(bytes, isOther ? { ...options, writes, types } : options);
  const { readAs } = own.layout;
  const larger = { ...readAs, maxRecordBytes };
  const scored = before ?? (await readScored(readAs));
  const comparison = own.layout.compareWith(scored.layout, input.name);
  options.onComparison?.(comparison.preserves);
  const areNumbers = written.format.encoder !== undefined;
  const shape = { ...options, areNumbers };
  const compared = { input: input.name, output: output.name };
  let appended: AppendedCheck;
  try {
    appended = compareHeaders(comparison, compared, shape);
  } catch (error) {
    hintAtHeader(error, own.layout, scored.layout, options);
  }
  let { rejectRecords } = own.layout;
  const openRejects = async (source: Source): Promise<RecordCursor> => {
    const opened = await rejectsFormat(format, written.format)
      .readLayout(source, larger)
      .catch(error => brokenFile(error));
    // Only the columns that were read are in the rejects of a file that is not text.
    if (format.encoder !== undefined) rejectRecords = own.layout.rejectRecordsOf(opened.layout);
    const wrong = rejectRecords.wrongHeader(opened.layout, input.name);
    if (wrong !== undefined) throw mismatch(wrong, { file: source.name, line: 1 });
    return RecordCursor.open(source, opened, larger);
  };
  const rejectsCursor = rejects && (await openRejects(rejects));
  const repairedCursor = repaired && (await openRejects(repaired));
  const inputCursor = RecordCursor.open(input, own, {
    ...options,
    maxRecordBytes: recordLimit(own, options),
  });
  const outputLimits = { ...larger, maxRecordBytes: recordLimit(scored, larger) };
  const sample = options.sample && sampleOf(options.sample.size, comparison);
  const comparing = compare({
    input: inputCursor,
    output: RecordCursor.open(output, scored, outputLimits),
    rejects: rejectsCursor,
    repaired: repairedCursor,
    rejectRecords,
    comparison,
    appended,
    tally: options.tally,
    sample,
  });
  for (;;) {
    const { value, done } = comparing.next();
    if (done) {
      const found = expectedNames(comparison, options);
      // Columns that were copied and then repaired have neither the bytes of the input nor those of a run.
      const isCopyRepaired = repaired !== undefined && format.encoder !== undefined;
      if (!isCopyRepaired) {
        const { keep, rename } = options;
        const columns = { input: own.layout, own: comparison.ownNames.length, keep, rename };
        await compareBytes(written, columns, output.name);
      }
      await predictAgain(sample?.rows ?? [], own.layout, {
        ...shape,
        dialect: comparison.dialect,
        input: input.name,
        output: output.name,
        prefix: options.prefix ?? DEFAULT_PREFIX,
        names: typeof found === 'number' || 'wrong' in found ? undefined : found,
      });
      return value;
    }
    await value.fill().catch(error => {
      throw value === inputCursor ? error : brokenFile(error, inputCursor);
    });
  }
}

/** The types of the input's columns, as the output has them. */
function typesOfInput(
  { names, types = [] }: Layout,
  { rename = {} }: Pick<ColumnOptions, 'rename'>,
): Record<string, string> {
  const former = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
  return Object.fromEntries(names.map((name, column) => [former.get(name) ?? name, types[column] ?? '']));
}

/** Compares a file of groups of rows with what a run writes that has its rows. @throws RowcastError `difference` */
async function compareBytes(
  { format, bytes }: Awaited<ReturnType<typeof recognizeWritten>>,
  columns: WrittenColumns,
  file: string,
): Promise<void> {
  const at = await format.compareWritten?.(bytes, columns).catch(error => brokenFile(error));
  if (at === undefined) return;
  throw mismatch(
    `its values are those of the input, but from byte ${at} on it does not have the bytes that a run writes`,
    { file },
    'The file was modified or written by another program, or --keep, --rename or --nulls are not those of the run.',
  );
}

/** The rows of a file that is not text were not limited by their texts. */
const recordLimit = ({ layout }: Opened, { maxRecordBytes }: Pick<ReadOptions, 'maxRecordBytes'>): number =>
  layout.rows === undefined ? maxRecordBytes : Number.POSITIVE_INFINITY;

/** Predicts the rows of a sample again, and compares them. @throws RowcastError `difference`; of the service */
async function predictAgain(
  rows: readonly SampledRow[],
  layout: Layout,
  { sample, ...columns }: Pick<VerifyOutputOptions, 'sample'> & SampledColumns,
): Promise<void> {
  if (sample === undefined) return;
  if (rows.length > 0) {
    const predicted = await sample.predict(layout.fileOf(rows.map(({ record }) => record)), layout.readAs);
    compareSample(rows, predicted, columns);
  }
  sample.onCompared(rows.length);
}

/** Errors of reading a file in its format. */
const BROKEN = new Set([
  'bad_header',
  'bad_parquet',
  'empty_input',
  'record_too_long',
  'unclosed_quote',
  'unsupported_column',
  'unsupported_format',
]);

/**
 * Reports a file that cannot be read in its format as a difference; others, such as an unreadable file, are rethrown.
 */
function brokenFile(error: unknown, input?: RecordCursor): never {
  if (!(error instanceof RowcastError) || !BROKEN.has(error.code)) throw error;
  const wanted = input && `; the record at ${input.file}:${input.line} should be here`;
  const message = error.code === 'empty_input' ? 'the file is empty' : error.message;
  throw mismatch(message + (wanted ?? ''), error.location);
}
