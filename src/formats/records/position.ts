/** A position between two records of an input. */
export interface Position {
  /** Offset in bytes, including the header. */
  readonly offset: number;
  /** Number of the next row, 1-based; the header and blank lines are not counted. */
  readonly row: number;
  /** Line that begins here, 1-based. */
  readonly line: number;
}

export const INPUT_START: Position = { offset: 0, row: 1, line: 1 };

/** A part of an input: its records from a position on. */
export interface InputRange {
  readonly start: Position;
  /** Records that begin at this offset or after it do not belong to it; undefined means that all do. */
  readonly end?: number | undefined;
}

/** Whether a range begins after the first record of an input, so that another one has its header. */
export const isInside = (range: InputRange, layout: { readonly start: Position }): boolean =>
  range.start.offset > layout.start.offset;

/**
 * How much of the input or of a limit of rows is done, whichever ends first; undefined if neither is known.
 *
 * @param size of the uncompressed input
 */
export function fractionOf(
  { offset, row }: Position,
  size: number | null,
  limit: number | undefined,
): number | undefined {
  if (!size && limit === undefined) return undefined;
  return Math.max(size ? offset / size : 0, limit === undefined ? 0 : (row - 1) / Math.max(1, limit));
}
