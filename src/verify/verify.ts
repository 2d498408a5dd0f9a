import { RowcastError } from '../errors.ts';
import type { Batch } from '../formats/csv/batch.ts';
import { afterHeader } from '../formats/csv/header.ts';
import type { Head } from '../formats/csv/read-batches.ts';
import { type ReadOptions, readBatches, readHead } from '../formats/csv/read-batches.ts';
import type { LongField } from '../formats/csv/records/long-field.ts';
import { RecordReader } from '../formats/csv/records/record-reader.ts';
import { rejectEnding } from '../formats/csv/reject-records.ts';
import { openSource } from '../storage/backends.ts';
import type { Source } from '../storage/source.ts';
import { compare, type Tally } from './compare.ts';
import { compareHeaders, compareRejectsHeader } from './compare-header.ts';
import { mismatch } from './mismatch.ts';
import { RecordCursor } from './record-cursor.ts';

export interface VerifyOptions extends ReadOptions {
  /** A path or `-` for stdin. All files may be gzip or plain. */
  input: string;
  output: string;
  /** The rejects file, if there is one. */
  rejects?: string | undefined;
  /** The --limit that the run had. */
  limit?: number | undefined;
  /** Called for the first suspiciously long quoted field of INPUT: it may have swallowed rows. */
  onLongField?: ((field: LongField) => void) | undefined;
}

/** Batch size; at most two batches of each file are in memory. */
const BATCH_BYTES = 1 << 20;
/** Maximum bytes that a record of OUTPUT or of the rejects file may have in addition to the input's. */
const APPENDED_BYTES = 16 << 20;

/**
 * Verifies a finished pair: every record of INPUT is in OUTPUT exactly once, in order, with its own bytes unchanged and
 * valid probabilities; malformed records are only in the rejects file. The files are read side by side.
 *
 * @throws RowcastError `difference`, the first one found; `no_such_file`, `unreadable_input` and other errors of INPUT
 */
export async function verify(options: VerifyOptions): Promise<Tally> {
  const { input, output, rejects } = options;
  const sources: Source[] = [];
  const open = async (file: string): Promise<Source> => {
    const source = await openSource(file);
    sources.push(source);
    return source;
  };
  try {
    return await run(
      await open(input),
      await open(output),
      rejects === undefined ? undefined : await open(rejects),
      options,
    );
  } finally {
    for (const source of sources) source.close();
  }
}

/** A file under comparison. */
interface Side {
  cursor: RecordCursor;
  batches: AsyncGenerator<Batch>;
}

async function run(
  input: Source,
  output: Source,
  rejects: Source | undefined,
  options: Omit<VerifyOptions, 'input' | 'output' | 'rejects'>,
): Promise<Tally> {
  const own = await readHead(input, options);
  const { names, dialect } = own.header;
  const larger = {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? 'none',
    maxRecordBytes: options.maxRecordBytes + APPENDED_BYTES,
  };
  const scored = await readHead(output, larger).catch(error => brokenCsv(error));
  const header = { file: input.name, header: own.header };
  const appended = compareHeaders(header, { file: output.name, header: scored.header });
  const rejected = rejects && (await readHead(rejects, larger).catch(error => brokenCsv(error)));
  if (rejects && rejected) compareRejectsHeader(header, { file: rejects.name, header: rejected.header });

  const inputSide = openSide(input, own, options);
  const outputSide = openSide(output, scored, larger);
  const rejectsSide = rejects && rejected && openSide(rejects, rejected, larger);
  const comparison = compare({
    input: inputSide.cursor,
    output: outputSide.cursor,
    rejects: rejectsSide?.cursor,
    headerEnding: rejectEnding(own.header),
    names,
    appended,
  });
  const sides = [inputSide, outputSide, ...(rejectsSide ? [rejectsSide] : [])];
  for (;;) {
    const { value, done } = comparison.next();
    if (done) return value;
    const side = sides.find(({ cursor }) => cursor === value);
    const next = side?.batches.next();
    const read = await (side === inputSide ? next : next?.catch(error => brokenCsv(error, inputSide.cursor)));
    value.setBatch(read?.done ? undefined : read?.value);
  }
}

function openSide(
  source: Source,
  { header, rest }: Head,
  { maxRecordBytes, limit, onLongField }: ReadOptions & Pick<VerifyOptions, 'limit' | 'onLongField'>,
): Side {
  const start = afterHeader(header);
  const { dialect } = header;
  const records = new RecordReader({
    dialect,
    file: source.name,
    width: header.names.length,
    batchRows: Number.POSITIVE_INFINITY,
    batchBytes: () => BATCH_BYTES,
    rowOverhead: 0,
    maxRecordBytes,
    limit,
    start,
    onLongField,
  });
  const batches = readBatches({ records, rest, source });
  return { cursor: new RecordCursor(source.name, dialect, start), batches };
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
