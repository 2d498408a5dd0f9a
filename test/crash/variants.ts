import { gzipSync } from 'node:zlib';
import { marked } from '../support/secrets.ts';
import type { StubOptions } from '../support/stub/service.ts';
import { recordOf } from './unscorable.ts';

/** A kind of run that is killed. */
export interface Variant {
  name: string;
  /** The input, or what is fed to stdin, each time from its start. */
  input: Buffer;
  isPiped?: true;
  /** Name of the output: its ending decides whether it is gzip. */
  output: 'out.csv' | 'out.csv.gz';
  /** What the service tells of the report. */
  report?: StubOptions['report'];
  /** The input's modification time is another one at each start, its bytes are the same. */
  isTouched?: true;
  /** Every other kill is a SIGTERM. */
  isTerminated?: true;
  /** Some rows cannot be scored: some are malformed, others the service will not have. */
  hasRejects?: true;
  /** Each response has other probabilities, of other lengths: the output is not the same bytes, but the same rows. */
  isVarying?: true;
  /** At times a sync fails and loses what was written, instead of a kill. */
  hasFailingSyncs?: true;
  /** At times the pipe ends in the middle of a record before the kill. */
  isTruncated?: true;
}

export const ROWS = 6_000;
export const BATCH_ROWS = 120;

/** Only these columns travel: the rows are long, so that gzip files have several members. */
export const SENT = 'id,plan';

/** What an input is like. */
export interface Shape {
  ending?: '\n' | '\r\n';
  /** A quoted line break before and after each batch's edge. */
  isQuoted?: boolean;
  /** Words of the note. */
  words?: number;
  /** Some records are malformed. */
  hasRejects?: boolean;
}

/** Rows that differ, 600 bytes each, as gzip a third of it. */
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

/** Several members, so that most kills come where there is one to go on from. */
const long: Shape = { words: 200 };

const flawed: Shape = { hasRejects: true };

const known = { classes: ['no', 'yes'] };

/** Each variant; its input is made when it is asked for. */
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
  () => ({ name: 'a pipe, fed again', input: rowsOf(), isPiped: true, output: 'out.csv', report: known }),
  () => ({
    name: 'no newline at the end',
    input: rowsOf().subarray(0, -1),
    output: 'out.csv',
    report: known,
  }),
  () => ({
    name: "a quoted newline at every batch's edge",
    input: rowsOf({ isQuoted: true }),
    output: 'out.csv',
    report: known,
  }),
  () => ({ name: 'CRLF', input: rowsOf({ ending: '\r\n' }), output: 'out.csv', report: known }),
  () => ({ name: 'classes from the first answer', input: rowsOf(), output: 'out.csv' }),
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
    name: 'rejects, CRLF from a pipe, classes from the first answer, SIGTERM',
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
    name: 'varying responses, rejects, gzip in and out, classes from the first answer',
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
    name: 'a pipe that ends in mid-record, SIGTERM',
    input: rowsOf(),
    isPiped: true,
    output: 'out.csv',
    report: known,
    isTerminated: true,
    isTruncated: true,
  }),
  () => ({
    name: 'a pipe that ends in mid-record, SIGTERM, varying responses, rejects, gzip out',
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
