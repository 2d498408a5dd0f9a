import * as z from 'zod';
import type { CallStatistics } from '../contract/call-statistics.ts';
import { RowcastError } from '../errors.ts';
import type { MergedPart } from './merged-part.ts';

/** What became of the rows: read = scored + rejected; blank lines apart. Over all runs of a resumed one. */
export const accountsShape = z.strictObject({
  /** Rows that the reader cut and that were written. */
  read: z.number(),
  scored: z.number(),
  rejected: z.number(),
  /** Code → rows. */
  rejectedBy: z.record(z.string(), z.number()),
  /** Blank lines, copied and not scored. */
  blank: z.number(),
  batches: z.number(),
  calls: z.number(),
  /** Code of the failure → calls that were tried again. */
  retries: z.record(z.string(), z.number()),
  bytesIn: z.number(),
  bytesOut: z.number(),
});
export type Accounts = z.infer<typeof accountsShape>;

export const newAccounts = (): Accounts => ({
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

/** The accounts that a run goes on with: those of its checkpoint, or none. */
export function accountsOf(checkpoint: { accounts: Accounts } | undefined): Accounts {
  return checkpoint?.accounts ?? newAccounts();
}

/** Distinct codes that are counted one by one: a service's words must not make a checkpoint grow. */
const MAX_CODES = 50;

/** Takes over what was asked of the service, beside what former runs have asked. */
export function countCalls(accounts: Accounts, before: Accounts, statistics: CallStatistics): void {
  accounts.calls = before.calls + statistics.calls;
  accounts.retries = { ...before.retries };
  for (const [code, calls] of statistics.retries) countCode(accounts.retries, code, calls);
}

/** Adds what was written. Rows are counted as read by their numbers, not by what became of them. */
export function count(accounts: Accounts, merged: MergedPart): void {
  const { bytes, end, endsBatch, scored, blank, rejects } = merged;
  accounts.bytesOut += bytes.length;
  accounts.read = end.row - 1;
  accounts.scored += scored;
  accounts.rejected += rejects.length;
  accounts.blank += blank;
  if (endsBatch) accounts.batches += 1;
  accounts.bytesIn = end.offset;
  for (const { code } of rejects) countCode(accounts.rejectedBy, code);
}

function countCode(counts: Record<string, number>, code: string, by = 1): void {
  const name = Object.hasOwn(counts, code) || Object.keys(counts).length < MAX_CODES ? code : 'other';
  // A service's code may be the name of what every object has, such as "constructor".
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + by;
}

/** @throws RowcastError `unbalanced` when rows were lost or counted twice (G7) */
export function checkBalance({
  read,
  scored,
  rejected,
}: Pick<Accounts, 'read' | 'scored' | 'rejected'>): void {
  if (read === scored + rejected) return;
  throw new RowcastError(
    'unbalanced',
    `${read} rows were read, but ${scored} scored and ${rejected} rejected`,
    {
      consequence: 'unbalanced',
      hint: 'The output must not be trusted. Please report this with the command that showed it.',
    },
  );
}
