/** A kind of file that people have, as a small one, and what `rowcast score` makes of it. */
export interface Kind {
  /** What the file is, in Markdown. */
  readonly is: string;
  readonly file: string;
  readonly bytes: () => Buffer | string | Promise<Buffer>;
  /** Options that the command is given besides the file and its output. */
  readonly options?: readonly string[];
  readonly happens: Happens;
  /** Parts of what the command writes to stderr, verbatim: the message and its hint, or a note. */
  readonly says?: readonly string[];
}

/**
 * - `scored`: all customers get the prediction that they get from a plain CSV
 * - `rejected`: so do all but the rejected ones, which have this code
 * - `refused`: no row is scored, and no output is written
 * - `stopped`: the run ends before the output is written
 */
export type Happens =
  | { readonly is: 'scored' }
  | { readonly is: 'rejected'; readonly code: string; readonly rows: number }
  | { readonly is: 'refused' | 'stopped'; readonly code: string };

export const scored: Happens = { is: 'scored' };
export const rejected = (code: string, rows: number): Happens => ({ is: 'rejected', code, rows });
export const refused = (code: string): Happens => ({ is: 'refused', code });
export const stopped = (code: string): Happens => ({ is: 'stopped', code });
