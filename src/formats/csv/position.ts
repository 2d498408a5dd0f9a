/** A position between two records of an input. */
export interface Position {
  /** Offset in bytes, including the header. */
  readonly offset: number;
  /** Number of the next row, 1-based; the header and blank lines are not counted. */
  readonly row: number;
  /** Line that begins here, 1-based. */
  readonly line: number;
}

/** A part of an input: its records from a position on. */
export interface InputRange {
  readonly start: Position;
  /** Records that begin at this offset or after it do not belong to it; undefined means that all do. */
  readonly end?: number | undefined;
}
