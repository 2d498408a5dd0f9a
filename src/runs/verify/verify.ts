import { RowcastError } from '../../base/errors.ts';
import type { Dialect } from '../../base/parse-records.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';
import type { Header } from '../../formats/csv/header.ts';
import { type ColumnOptions, outputColumns, ownNames } from '../../formats/csv/output-columns.ts';
import { readHead } from '../../formats/csv/read-head.ts';
import { rejectEnding } from '../../formats/csv/reject-records.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import type { LongField } from '../../formats/records/long-field.ts';
import { openSource } from '../../storage/backends.ts';
import type { Source } from '../../storage/source.ts';
import { compare, type VerifiedRows } from './compare.ts';
import { compareHeaders, compareRejectsHeader } from './compare-header.ts';
import { compareSample, type PredictedAgain, type SampledColumns } from './compare-sample.ts';
import { mismatch } from './mismatch.ts';
import { projectionOf } from './projection.ts';
import type { RecordCursor } from './record-cursor.ts';
import { Sample, type SampledRow } from './sample.ts';
import { openSide, type Side } from './side.ts';

export interface VerifyOptions extends Omit<ReadOptions, 'names'>, ColumnOptions, ChosenProbabilities {
  /** The column names that the run had, of an input without a header line. */
  names?: readonly string[] | undefined;
  /** The encoding of INPUT, if it is not UTF-8. */
  encoding?: string | undefined;
  /** A path or `-` for stdin. All files may be gzip or plain. */
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
  /** Called for the first suspiciously long quoted field of INPUT: it may have swallowed rows. */
  onLongField?: ((field: LongField) => void) | undefined;
}

/** Rows that are predicted again and compared. */
export interface SampleOptions {
  /** How many, if there are as many that were scored. */
  size: number;
  /** The --prefix that the run had. */
  prefix: string;
  /**
   * Predicts rows as the run did.
   *
   * @param csv the rows, after a header
   */
  predict(csv: Buffer, dialect: Dialect): Promise<PredictedAgain>;
  /** Called with the number of rows that agree. */
  onCompared(rows: number): void;
}

/** Maximum bytes that a record of OUTPUT or of the rejects file may have in addition to the input's. */
const APPENDED_BYTES = 16 << 20;

/**
 * Verifies a finished pair: every record of INPUT is in OUTPUT exactly once, in order, with its own bytes unchanged and
 * valid probabilities; malformed records are only in the rejects file. The files are read side by side.
 *
 * @throws RowcastError `difference`, the first one found; `no_such_file`, `unreadable_input` and other errors of INPUT
 */
export async function verify(options: VerifyOptions): Promise<VerifiedRows> {
  const { input, output, rejects, repaired } = options;
  const sources: Source[] = [];
  const open = async (file: string, encoding?: string): Promise<Source> => {
    const source = await openSource(file, false, encoding);
    sources.push(source);
    return source;
  };
  try {
    return await run(
      await open(input, options.encoding),
      await open(output),
      rejects === undefined ? undefined : await open(rejects),
      repaired === undefined ? undefined : await open(repaired),
      options,
    );
  } finally {
    for (const source of sources) source.close();
  }
}

async function run(
  input: Source,
  output: Source,
  rejects: Source | undefined,
  repaired: Source | undefined,
  options: Omit<VerifyOptions, 'input' | 'output' | 'rejects' | 'repaired'>,
): Promise<VerifiedRows> {
  const own = await readHead(input, options);
  const { dialect } = own.header;
  const columns = outputColumns(own.header, options, input.name);
  const hasHeader = columns?.hasHeader !== false;
  const larger = {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? 'none',
    maxRecordBytes: options.maxRecordBytes + APPENDED_BYTES,
  };
  const scored = await readHead(output, {
    ...larger,
    names: hasHeader ? undefined : 'numbers',
    loneCr: dialect.loneCr,
  }).catch(error => brokenCsv(error));
  const header = { file: input.name, header: own.header };
  const appended = compareHeaders(header, { file: output.name, header: scored.header }, columns, options);
  const openRejects = async (source: Source): Promise<Side> => {
    const head = await readHead(source, larger).catch(error => brokenCsv(error));
    compareRejectsHeader(header, { file: source.name, header: head.header });
    return openSide(source, head, larger);
  };
  const rejectsSide = rejects && (await openRejects(rejects));
  const repairedSide = repaired && (await openRejects(repaired));
  const inputSide = openSide(input, own, options);
  const outputSide = openSide(output, scored, larger);
  const project = projectionOf(columns?.kept, dialect);
  const sample = options.sample && new Sample(options.sample.size, project, appended.isAfterOthers);
  const comparison = compare({
    input: inputSide.cursor,
    output: outputSide.cursor,
    rejects: rejectsSide?.cursor,
    repaired: repairedSide?.cursor,
    headerEnding: rejectEnding(own.header),
    width: own.header.names.length,
    names: ownNames(own.header, columns),
    project,
    hasHeader,
    appended,
    tally: options.tally,
    sample,
  });
  const sides = [inputSide, outputSide, rejectsSide, repairedSide].filter(side => side !== undefined);
  for (;;) {
    const { value, done } = comparison.next();
    if (done) {
      const { length: kept } = ownNames(own.header, columns);
      const former = new Map(Object.entries(columns?.rename ?? {}).map(([from, to]) => [to, from]));
      const names = scored.header.names.slice(kept).map(name => former.get(name) ?? name);
      await predictAgain(sample?.rows ?? [], own.header, {
        ...options,
        input: input.name,
        output: output.name,
        names: hasHeader ? names : undefined,
      });
      return value;
    }
    const side = sides.find(({ cursor }) => cursor === value);
    const next = side?.batches.next();
    const read = await (side === inputSide ? next : next?.catch(error => brokenCsv(error, inputSide.cursor)));
    value.setBatch(read?.done ? undefined : read?.value);
  }
}

/** Predicts the rows of a sample again, and compares them. @throws RowcastError `difference`; of the service */
async function predictAgain(
  rows: readonly SampledRow[],
  header: Header,
  { sample, ...columns }: Pick<VerifyOptions, 'sample'> & Omit<SampledColumns, 'prefix' | 'dialect'>,
): Promise<void> {
  if (sample === undefined) return;
  const ending = rejectEnding(header);
  const head = header.bytes.subarray(header.contentStart, header.contentEnd);
  const csv = Buffer.concat([head, ...rows.map(({ record }) => record)].flatMap(part => [part, ending]));
  const { dialect } = header;
  if (rows.length > 0)
    compareSample(rows, await sample.predict(csv, dialect), { ...columns, dialect, prefix: sample.prefix });
  sample.onCompared(rows.length);
}

/** Errors of the CSV reader. */
const BROKEN = new Set(['empty_input', 'not_csv', 'bad_header', 'unclosed_quote', 'record_too_long']);

/** Reports an OUTPUT that is not valid CSV as a difference; other errors, such as an unreadable file, are rethrown. */
function brokenCsv(error: unknown, input?: RecordCursor): never {
  if (!(error instanceof RowcastError) || !BROKEN.has(error.code)) throw error;
  const wanted = input && `; the record at ${input.file}:${input.line} should be here`;
  const message = error.code === 'empty_input' ? 'the file is empty' : error.message;
  throw mismatch(message + (wanted ?? ''), error.location);
}
