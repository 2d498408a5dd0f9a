/** A row that could not be scored. */
export interface Reject {
  /** Data row, 1-based; the header and blank lines are not counted. */
  row: number;
  /** Line of the input at which the record begins, 1-based. */
  line: number;
  code: string;
  reason: string;
  /** What to do about it, if the reason is always the same. */
  hint?: string;
  /** How many lines the record has, if it has several. */
  lines?: number;
  /** The raw record without its line ending; a copy, so that observers may keep it. */
  record: Buffer;
}

/** A reason, and what to do about it. */
export const reasonText = ({ reason, hint }: Pick<Reject, 'reason' | 'hint'>): string =>
  hint === undefined ? reason : `${reason}; ${hint}`;
