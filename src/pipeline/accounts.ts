import { RowcastError } from '../errors.ts';

/** What became of the rows: read = scored + rejected; blank lines apart. */
export interface Accounts {
  /** Rows that the reader cut. */
  read: number;
  scored: number;
  rejected: number;
  /** Blank lines, copied and not scored. */
  blank: number;
  batches: number;
  bytesIn: number;
  bytesOut: number;
}

export const newAccounts = (): Accounts => ({
  read: 0,
  scored: 0,
  rejected: 0,
  blank: 0,
  batches: 0,
  bytesIn: 0,
  bytesOut: 0,
});

/** @throws RowcastError `unbalanced` when rows were lost or counted twice (G7) */
export function checkBalance({ read, scored, rejected }: Accounts): void {
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
