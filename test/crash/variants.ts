import { gzipSync } from 'node:zlib';
import { zlibZstd } from '../../src/storage/codecs/zstd.ts';
import { parquetOf } from '../support/parquet.ts';
import { marked } from '../support/secrets.ts';
import type { StubOptions } from '../support/stub/service.ts';
import { brokenAt, recordOf } from './unscorable.ts';

/** A kind of run to kill. */
export interface Variant {
  name: string;
  /** Makes the input, or the whole of stdin at each start; it takes seconds. */
  input: () => Buffer;
  isPiped?: true;
  /** Name of the output: its extension determines its compression. */
  output: `out.${'csv' | 'jsonl'}${'' | '.gz' | '.zst'}` | 'out.parquet';
  /** Name of the input, if it does not have the format of the output. */
  inputName?: 'in.csv' | 'in.jsonl' | 'in.parquet';
  /** Options of the command that only this variant has. */
  options?: readonly string[];
  /** The service's response for the report. */
  report: StubOptions['report'];
  /** Makes the input of an earlier run, whose predictions are reused. */
  earlier?: () => Buffer;
  /** The input has another modification time at each start, with the same bytes. */
  isTouched?: true;
  /** Every other kill is a SIGTERM. */
  isTerminated?: true;
  /** Some rows cannot be scored: some are malformed, others are rejected by the service. */
  hasRejects?: true;
  /**
   * Each response has different probabilities of different lengths: the output has the same rows, but not the same
   * bytes.
   */
  isVarying?: true;
  /** Sometimes, instead of a kill, a sync fails and loses what was written. */
  hasFailingSyncs?: true;
  /** Sometimes the pipe ends within a record before the kill. */
  isTruncated?: true;
}

export const ROWS = 6_000;
export const BATCH_ROWS = 120;

/** Only these columns are sent; the rows are long, so that gzip files have several members. */
export const SENT = 'id,plan';

/** The shape of an input. */
export interface Shape {
  ending?: '\n' | '\r\n';
  /** A quoted line break before and after each boundary of batches. */
  isQuoted?: boolean;
  /** The number of words in the note. */
  words?: number;
  /** Some records are malformed. */
  hasRejects?: boolean;
}

/** Different rows of 600 bytes, which gzip compresses to a third. */
export function rowsOf(
  { ending = '\n', isQuoted = false, words: count = 70, hasRejects = false }: Shape = {},
  rows = ROWS,
): Buffer {
  const record = hasRejects
    ? recordOf
    : (row: number, plan: string, note: string): string => `${row},${plan},${note}`;
  const text = (row: number): string => {
    const words = Array.from(
      { length: count },
      (_, word) => ((row + 1) * (word + 7) * 2_654_435_761) % 2 ** 32,
    );
    const note = words.map(word => word.toString(36)).join(' ');
    const isAtEdge = row % BATCH_ROWS === 0 || row % BATCH_ROWS === BATCH_ROWS - 1;
    return isQuoted && isAtEdge ? `"${note}${ending}""${ending}"` : note;
  };
  const lines = Array.from(
    { length: rows },
    (_, row) => record(row, `${marked} ${row % 7}`, text(row)) + ending,
  );
  return Buffer.from(`id,plan,note${ending}${lines.join('')}`, 'latin1');
}

/** The rows that `rowsOf` gives, as JSON lines. */
export function linesOf({ hasRejects = false, ...shape }: Shape = {}, count = ROWS): Buffer {
  const [, ...rows] = rowsOf(shape, count).toString('latin1').trimEnd().split('\n');
  const lines = rows.map((text, row) => {
    const [id, plan, note] = text.split(',');
    const object = JSON.stringify({ id: Number(id), nested: { note }, plan });
    return hasRejects ? brokenAt(row, object) : object;
  });
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1');
}

/** Rows of another night: of every three, one is another, and one is missing. They are in reverse order. */
function earlierRows(input: Buffer): Buffer {
  const [header = '', ...rows] = input.toString('latin1').trimEnd().split('\n');
  const others = rows.flatMap((row, index) => (index % 3 === 0 ? [] : index % 3 === 1 ? [`9${row}`] : [row]));
  return Buffer.from(`${[header, ...others.toReversed()].join('\n')}\n`, 'latin1');
}

/** Such rows after so many others that they are found in a table. */
function farRows(input: Buffer): Buffer {
  const [header = '', ...rows] = earlierRows(input).toString('latin1').split('\n');
  const others = Array.from({ length: 70_000 }, (_, row) => `8${row},other,`);
  return Buffer.from([header, ...others, ...rows].join('\n'), 'latin1');
}

/** As many rows, of which each tenth one is like that before it, and each third one like the first. */
function repeated(input: Buffer): Buffer {
  const [header = '', ...rows] = input.toString('latin1').trimEnd().split('\n');
  const some = rows.map(
    (row, index) => rows[index % 10 === 9 ? index - 1 : index % 3 === 0 ? 0 : index] ?? row,
  );
  return Buffer.from(`${[header, ...some].join('\n')}\n`, 'latin1');
}

/** Several members, so that most kills come after the first one, from which the run resumes. */
const long: Shape = { words: 200 };
const flawed: Shape = { hasRejects: true };
const longFlawed = { ...long, ...flawed };

const gzipped = (input: Buffer): Buffer => gzipSync(input, { level: 1 });

/** Not the program, which is slow to start, so that a run is over before its first checkpoint is seen. */
const zstd = zlibZstd;

/** Several groups of rows, at whose ends a run resumes. */
const GROUP_ROWS = 500;
const parquet = await parquetOf(rowsOf(), { groupRows: GROUP_ROWS });
const inGroups = { options: ['--group-rows', `${GROUP_ROWS}`] };

/** A variant; what is not said of it is as in most: the report names the classes. */
const variant = (
  name: string,
  input: () => Buffer,
  output: Variant['output'],
  more: Partial<Variant> = {},
): Variant => ({ report: { classes: ['no', 'yes'] }, ...more, name, input, output });

/** Predictions of an earlier run are reused if the service states the version of its model. */
const reusing = (earlier: () => Buffer, more: Partial<Variant> = {}): Partial<Variant> => ({
  report: { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) },
  earlier,
  ...more,
});

const lines = 'in.jsonl';
const hasRejects = true;
const isPiped = true;
const isTerminated = true;
const isVarying = true;
/** The classes are those of the first response. */
const unknown = { report: undefined };

export const variants: readonly Variant[] = [
  variant('plain files', rowsOf, 'out.csv'),
  variant('gzip in', () => gzipped(rowsOf()), 'out.csv'),
  variant('gzip out', () => rowsOf(long), 'out.csv.gz'),
  variant('gzip in and out', () => gzipped(rowsOf(long)), 'out.csv.gz'),
  variant('JSON lines', linesOf, 'out.jsonl'),
  variant('JSON lines, rejects, gzip in and out', () => gzipped(linesOf(longFlawed)), 'out.jsonl.gz', {
    hasRejects,
  }),
  ...(zstd === undefined
    ? []
    : [
        variant('rejects, zstd in and out', () => zstd.compressNow(rowsOf(longFlawed)), 'out.csv.zst', {
          hasRejects,
        }),
        variant('JSON lines, zstd in and out', () => zstd.compressNow(linesOf(long)), 'out.jsonl.zst'),
      ]),
  variant('Parquet', () => parquet, 'out.parquet', { inputName: 'in.parquet' }),
  variant('CSV to Parquet', () => rowsOf({ words: 8 }), 'out.parquet', { inputName: 'in.csv', ...inGroups }),
  variant('CSV to JSON lines, rejects', () => rowsOf(flawed), 'out.jsonl', {
    inputName: 'in.csv',
    hasRejects,
  }),
  variant('JSON lines to CSV, rejects, gzip out', () => linesOf(longFlawed), 'out.csv.gz', {
    inputName: lines,
    hasRejects,
  }),
  variant('JSON lines to Parquet', () => linesOf({ words: 8 }), 'out.parquet', {
    inputName: lines,
    ...inGroups,
  }),
  variant('Parquet to JSON lines', () => parquet, 'out.jsonl', { inputName: 'in.parquet' }),
  variant('Parquet to CSV', () => parquet, 'out.csv', { inputName: 'in.parquet' }),
  variant(
    'reused predictions, SIGTERM',
    rowsOf,
    'out.csv',
    reusing(() => earlierRows(rowsOf()), { isTerminated }),
  ),
  variant(
    'reused predictions, in a table',
    rowsOf,
    'out.csv',
    reusing(() => farRows(rowsOf())),
  ),
  variant(
    'reused predictions, rejects, gzip out',
    () => rowsOf(longFlawed),
    'out.csv.gz',
    reusing(() => earlierRows(rowsOf(longFlawed)), { hasRejects }),
  ),
  variant('equal rows, rejects', () => repeated(rowsOf(flawed)), 'out.csv', {
    hasRejects,
    options: ['--dedupe'],
  }),
  variant('a pipe, written again', rowsOf, 'out.csv', { isPiped }),
  variant('no final newline', () => rowsOf().subarray(0, -1), 'out.csv'),
  variant('a quoted newline at every boundary of batches', () => rowsOf({ isQuoted: true }), 'out.csv'),
  variant('CRLF', () => rowsOf({ ending: '\r\n' }), 'out.csv'),
  variant('classes from the first response', rowsOf, 'out.csv', unknown),
  variant('SIGKILL and SIGTERM', rowsOf, 'out.csv', { isTerminated }),
  variant('input touched', rowsOf, 'out.csv', { isTouched: true }),
  variant('rejects', () => rowsOf(flawed), 'out.csv', { hasRejects }),
  variant('rejects, gzip in and out', () => gzipped(rowsOf(longFlawed)), 'out.csv.gz', { hasRejects }),
  variant(
    'rejects, CRLF from a pipe, classes from the first response, SIGTERM',
    () => rowsOf({ ...flawed, ending: '\r\n', isQuoted: true }),
    'out.csv',
    { ...unknown, isPiped, isTerminated, hasRejects },
  ),
  variant('varying responses', rowsOf, 'out.csv', { isVarying }),
  variant('varying responses, gzip out, SIGTERM', () => rowsOf(long), 'out.csv.gz', {
    isTerminated,
    isVarying,
  }),
  variant(
    'varying responses, rejects, gzip in and out, classes from the first response',
    () => gzipped(rowsOf(longFlawed)),
    'out.csv.gz',
    { ...unknown, hasRejects, isVarying },
  ),
  variant('failing syncs', rowsOf, 'out.csv', { hasFailingSyncs: true }),
  variant('failing syncs, varying responses, rejects, gzip out', () => rowsOf(longFlawed), 'out.csv.gz', {
    hasRejects,
    isVarying,
    hasFailingSyncs: true,
  }),
  variant('a pipe that ends within a record, SIGTERM', rowsOf, 'out.csv', {
    isPiped,
    isTerminated,
    isTruncated: true,
  }),
  variant(
    'a pipe that ends within a record, SIGTERM, varying responses, rejects, gzip out',
    () => rowsOf(longFlawed),
    'out.csv.gz',
    { isPiped, isTerminated, hasRejects, isVarying, isTruncated: true },
  ),
];
