import * as z from 'zod';
import type { CallStatistics } from '../base/contract/call-statistics.ts';
import { unknownColumns } from '../base/contract/predictions.ts';
import { RowcastError } from '../base/errors.ts';
import { counted, countOf } from '../base/number-text.ts';
import { isFaultCode } from '../formats/records/faults.ts';
import { INPUT_START } from '../formats/records/position.ts';
import type { MergedPiece } from './merge/merged-piece.ts';
import { addUnsent } from './reuse/unsent.ts';

/**
 * Row counts: read = scored + rejected; blank lines are counted separately. Totals over all processes of a resumed run.
 */
export const rowCountsShape = z.strictObject({
  /** Rows that were read and whose result was written. */
  read: z.number(),
  scored: z.number(),
  /** Those of the scored rows whose predictions were copied; not there in a run that copies none. */
  reused: z.number().optional(),
  /** Those with the prediction of an equal row; not there in a run that sends each row. */
  equal: z.number().optional(),
  rejected: z.number(),
  /** Lines of rejects besides the first of each: limits count them, because other rows may be in them. */
  rejectedLines: z.number().optional(),
  /** Reject code → rows. */
  rejectedBy: z.record(z.string(), z.number()),
  /** Blank lines, copied and not scored. */
  blank: z.number(),
  batches: z.number(),
  calls: z.number(),
  /** Failure code → requests that were retried. */
  retries: z.record(z.string(), z.number()),
  bytesIn: z.number(),
  bytesOut: z.number(),
});
export type RowCounts = z.infer<typeof rowCountsShape>;

export const newRowCounts = (): RowCounts => ({
  read: 0,
  scored: 0,
  rejected: 0,
  rejectedBy: {},
  blank: 0,
  batches: 0,
  calls: 0,
  retries: {},
  bytesIn: 0,
  bytesOut: 0,
});

/** The row counts that a run starts from: those of its checkpoint, or zeros. */
export function rowCountsOf(checkpoint: { rowCounts: RowCounts } | undefined): RowCounts {
  return checkpoint?.rowCounts ?? newRowCounts();
}

/** The totals of several runs. */
export function sumOf(runs: readonly RowCounts[]): RowCounts {
  const total = newRowCounts();
  for (const { rejectedBy, retries, rejectedLines = 0, reused, equal, ...numbers } of runs) {
    addLines(total, rejectedLines);
    addUnsent(total, { reused, equal });
    for (const [name, value] of Object.entries(numbers) as [keyof typeof numbers, number][])
      total[name] += value;
    for (const [code, rows] of Object.entries(rejectedBy)) countCode(total.rejectedBy, code, rows);
    for (const [code, calls] of Object.entries(retries)) countCode(total.retries, code, calls);
  }
  return total;
}

/**
 * Distinct codes that are counted separately. Codes come from the service, so they must not grow the checkpoint without
 * bound.
 */
const MAX_CODES = 50;

/** Sets the request counts to those of this process plus those of the processes before it. */
export function countCalls(rowCounts: RowCounts, before: RowCounts, statistics: CallStatistics): void {
  rowCounts.calls = before.calls + statistics.calls;
  rowCounts.retries = { ...before.retries };
  for (const [code, calls] of statistics.retries) countCode(rowCounts.retries, code, calls);
}

/**
 * Adds a written piece. `read` comes from row numbers, independently of `scored` and `rejected`, so that `checkBalance`
 * can compare them.
 *
 * @param from where the run began in the input
 */
export function count(rowCounts: RowCounts, merged: MergedPiece, from = INPUT_START): void {
  const { bytes, end, endsBatch, scored, blank, rejects } = merged;
  rowCounts.bytesOut += bytes.length;
  rowCounts.read = end.row - from.row;
  rowCounts.scored += scored;
  addUnsent(rowCounts, merged);
  rowCounts.rejected += rejects.length;
  addLines(
    rowCounts,
    rejects.reduce((sum, { lines = 1 }) => sum + lines - 1, 0),
  );
  rowCounts.blank += blank;
  if (endsBatch) rowCounts.batches += 1;
  rowCounts.bytesIn = end.offset - from.offset;
  for (const { code } of rejects) countCode(rowCounts.rejectedBy, code);
}

function addLines(rowCounts: RowCounts, lines: number): void {
  if (lines > 0) rowCounts.rejectedLines = (rowCounts.rejectedLines ?? 0) + lines;
}

function countCode(counts: Record<string, number>, code: string, by = 1): void {
  const name = Object.hasOwn(counts, code) || Object.keys(counts).length < MAX_CODES ? code : 'other';
  // A service's code may be the name of an inherited property, such as "constructor".
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + by;
}

export type CountedRows = Pick<RowCounts, 'read' | 'rejectedBy'>;

/** The rows whose values are counted: neither malformed, nor without any column. */
export function countedRows({ read, rejectedBy }: CountedRows): number {
  let rows = read;
  for (const [code, rejected] of Object.entries(rejectedBy))
    if (isFaultCode(code) || code === unknownColumns.code) rows -= rejected;
  return rows;
}

/** @throws RowcastError `unbalanced` if rows were lost or counted twice */
export function checkBalance({
  read,
  scored,
  rejected,
}: Pick<RowCounts, 'read' | 'scored' | 'rejected'>): void {
  if (read === scored + rejected) return;
  throw unbalanced(
    `${countOf(read, 'row')} ${read === 1 ? 'was' : 'were'} read, but ${counted(scored)} scored and ${counted(rejected)} rejected`,
  );
}

export const unbalanced = (message: string): RowcastError =>
  new RowcastError('unbalanced', message, {
    severity: 'unbalanced',
    hint: 'Do not use the output. Please report this bug with the command that you ran.',
  });

const texts = z.array(z.string()).readonly();

/** `PredictionType`, as checkpoints and plans store them. */
export const predictionTypeShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('distribution'), classes: texts }),
  z.strictObject({ kind: z.literal('label') }),
  z.strictObject({ kind: z.literal('numbers'), names: texts }),
]);
