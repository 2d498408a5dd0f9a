/**
 * A quoted field that is longer than text usually is. A stray quote makes one: the rows up to the next quote become
 * part of its field, without an error.
 */
export interface LongField {
  /** Line on which its quote opens, 1-based. */
  line: number;
  /** Its row, 1-based; 0 for the header. */
  row: number;
  /** Bytes between its quotes. */
  bytes: number;
  /** Number of lines it spans. */
  lines: number;
}
