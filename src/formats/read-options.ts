/** The options that decide how an input is read. */
export interface ReadOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
  maxRecordBytes: number;
  /** By default a million. */
  maxColumns?: number | undefined;
  /** The columns of an input without a header line; `numbers` names them 1, 2 and so on. */
  names?: readonly string[] | 'numbers' | undefined;
  /** Whether a lone CR ends the records of an input without a header line; by default, its first record tells. */
  loneCr?: boolean | undefined;
}
