import { gzipSync } from 'node:zlib';
import { zlibZstd } from '../../src/storage/codecs/zstd.ts';
import { parquetOf } from '../support/parquet.ts';
import { marked } from '../support/secrets.ts';
import type { StubOptions } from '../support/stub/service.ts';
import { brokenAt, recordOf } from './unscorable.ts';

/** A kind of run to kill. */
export interface Variant {
  name: string;
  /** The input, or the whole of stdin at each start. */
  input: Buffer;
  isPiped?: true;
  /** Name of the output: its extension determines its compression. */
  output: `out.${'csv' | 'jsonl'}${'' | '.gz' | '.zst'}` | 'out.parquet';
  /** Name of the input, if it does not have the format of the output. */
  inputName?: 'in.csv' | 'in.jsonl' | 'in.parquet';
  /** Options of the command that only this variant has. */
  options?: readonly string[];
  /** The service's response for the report. */
  report?: StubOptions['report'];
  /** The input of an earlier run, whose predictions are reused. */
  earlier?: Buffer;
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

/** A service that states the version of its model. */
const versioned = { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) };

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

const known = { classes: ['no', 'yes'] };

/** Not the program, which is slow to start, so that a run is over before its first checkpoint is seen. */
const zstd = zlibZstd;

/** Several groups of rows, at whose ends a run resumes. */
const GROUP_ROWS = 500;
const parquet = await parquetOf(rowsOf(), { groupRows: GROUP_ROWS });

/** All variants; inputs are created on demand. */
export const variants: readonly (() => Variant)[] = [
  () => ({ name: 'plain files', input: rowsOf(), output: 'out.csv', report: known }),
  () => ({ name: 'gzip in', input: gzipSync(rowsOf(), { level: 1 }), output: 'out.csv', report: known }),
  () => ({ name: 'gzip out', input: rowsOf(long), output: 'out.csv.gz', report: known }),
  () => ({
    name: 'gzip in and out',
    input: gzipSync(rowsOf(long), { level: 1 }),
    output: 'out.csv.gz',
    report: known,
  }),
  ...(zstd === undefined
    ? []
    : [
        (): Variant => ({
          name: 'rejects, zstd in and out',
          input: zstd.compressNow(rowsOf({ ...long, ...flawed })),
          output: 'out.csv.zst',
          report: known,
          hasRejects: true,
        }),
      ]),
  () => ({ name: 'JSON lines', input: linesOf(), output: 'out.jsonl', report: known }),
  () => ({
    name: 'JSON lines, rejects, gzip in and out',
    input: gzipSync(linesOf({ ...long, ...flawed }), { level: 1 }),
    output: 'out.jsonl.gz',
    report: known,
    hasRejects: true,
  }),
  ...(zstd === undefined
    ? []
    : [
        (): Variant => ({
          name: 'JSON lines, zstd in and out',
          input: zstd.compressNow(linesOf(long)),
          output: 'out.jsonl.zst',
          report: known,
        }),
      ]),
  () => ({
    name: 'Parquet',
    input: parquet,
    inputName: 'in.parquet',
    output: 'out.parquet',
    report: known,
  }),
  () => ({
    name: 'CSV to Parquet',
    input: rowsOf({ words: 8 }),
    inputName: 'in.csv',
    output: 'out.parquet',
    report: known,
    options: ['--group-rows', `${GROUP_ROWS}`],
  }),
  () => ({
    name: 'CSV to JSON lines, rejects',
    input: rowsOf(flawed),
    inputName: 'in.csv',
    output: 'out.jsonl',
    report: known,
    hasRejects: true,
  }),
  () => ({
    name: 'JSON lines to CSV, rejects, gzip out',
    input: linesOf({ ...long, ...flawed }),
    inputName: 'in.jsonl',
    output: 'out.csv.gz',
    report: known,
    hasRejects: true,
  }),
  () => ({
    name: 'JSON lines to Parquet',
    input: linesOf({ words: 8 }),
    inputName: 'in.jsonl',
    output: 'out.parquet',
    report: known,
    options: ['--group-rows', `${GROUP_ROWS}`],
  }),
  () => ({
    name: 'Parquet to JSON lines',
    input: parquet,
    inputName: 'in.parquet',
    output: 'out.jsonl',
    report: known,
  }),
  () => ({
    name: 'Parquet to CSV',
    input: parquet,
    inputName: 'in.parquet',
    output: 'out.csv',
    report: known,
  }),
  () => ({
    name: 'reused predictions, SIGTERM',
    input: rowsOf(),
    output: 'out.csv',
    report: versioned,
    earlier: earlierRows(rowsOf()),
    isTerminated: true,
  }),
  () => ({
    name: 'reused predictions, in a table',
    input: rowsOf(),
    output: 'out.csv',
    report: versioned,
    earlier: farRows(rowsOf()),
  }),
  () => ({
    name: 'reused predictions, rejects, gzip out',
    input: rowsOf({ ...long, ...flawed }),
    output: 'out.csv.gz',
    report: versioned,
    earlier: earlierRows(rowsOf({ ...long, ...flawed })),
    hasRejects: true,
  }),
  () => ({
    name: 'equal rows, rejects',
    input: repeated(rowsOf(flawed)),
    output: 'out.csv',
    report: known,
    hasRejects: true,
    options: ['--dedupe'],
  }),
  () => ({ name: 'a pipe, written again', input: rowsOf(), isPiped: true, output: 'out.csv', report: known }),
  () => ({
    name: 'no final newline',
    input: rowsOf().subarray(0, -1),
    output: 'out.csv',
    report: known,
  }),
  () => ({
    name: 'a quoted newline at every boundary of batches',
    input: rowsOf({ isQuoted: true }),
    output: 'out.csv',
    report: known,
  }),
  () => ({ name: 'CRLF', input: rowsOf({ ending: '\r\n' }), output: 'out.csv', report: known }),
  () => ({ name: 'classes from the first response', input: rowsOf(), output: 'out.csv' }),
  () => ({
    name: 'SIGKILL and SIGTERM',
    input: rowsOf(),
    output: 'out.csv',
    report: known,
    isTerminated: true,
  }),
  () => ({ name: 'input touched', input: rowsOf(), output: 'out.csv', report: known, isTouched: true }),
  () => ({ name: 'rejects', input: rowsOf(flawed), output: 'out.csv', report: known, hasRejects: true }),
  () => ({
    name: 'rejects, gzip in and out',
    input: gzipSync(rowsOf({ ...long, ...flawed }), { level: 1 }),
    output: 'out.csv.gz',
    report: known,
    hasRejects: true,
  }),
  () => ({
    name: 'rejects, CRLF from a pipe, classes from the first response, SIGTERM',
    input: rowsOf({ ...flawed, ending: '\r\n', isQuoted: true }),
    isPiped: true,
    output: 'out.csv',
    isTerminated: true,
    hasRejects: true,
  }),
  () => ({ name: 'varying responses', input: rowsOf(), output: 'out.csv', report: known, isVarying: true }),
  () => ({
    name: 'varying responses, gzip out, SIGTERM',
    input: rowsOf(long),
    output: 'out.csv.gz',
    report: known,
    isTerminated: true,
    isVarying: true,
  }),
  () => ({
    name: 'varying responses, rejects, gzip in and out, classes from the first response',
    input: gzipSync(rowsOf({ ...long, ...flawed }), { level: 1 }),
    output: 'out.csv.gz',
    hasRejects: true,
    isVarying: true,
  }),
  () => ({ name: 'failing syncs', input: rowsOf(), output: 'out.csv', report: known, hasFailingSyncs: true }),
  () => ({
    name: 'failing syncs, varying responses, rejects, gzip out',
    input: rowsOf({ ...long, ...flawed }),
    output: 'out.csv.gz',
    report: known,
    hasRejects: true,
    isVarying: true,
    hasFailingSyncs: true,
  }),
  () => ({
    name: 'a pipe that ends within a record, SIGTERM',
    input: rowsOf(),
    isPiped: true,
    output: 'out.csv',
    report: known,
    isTerminated: true,
    isTruncated: true,
  }),
  () => ({
    name: 'a pipe that ends within a record, SIGTERM, varying responses, rejects, gzip out',
    input: rowsOf({ ...long, ...flawed }),
    isPiped: true,
    output: 'out.csv.gz',
    report: known,
    isTerminated: true,
    hasRejects: true,
    isVarying: true,
    isTruncated: true,
  }),
];
