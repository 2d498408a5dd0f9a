/** A place between two records of an input. */
export interface Position {
  /** Bytes before it, the header's included. */
  readonly offset: number;
  /** Number of the next row, 1-based; the header and blank lines are not counted. */
  readonly row: number;
  /** Line that begins here, 1-based. */
  readonly line: number;
}
