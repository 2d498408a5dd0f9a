/** How a CSV is written. Line endings are not part of it: LF and CRLF mix freely. */
export interface Dialect {
  /** One ASCII character. */
  readonly delimiter: string;
  /** One ASCII character, or undefined for a file without quoting. */
  readonly quote: string | undefined;
  /** True when the first record ends in a lone CR; then CR, LF and CRLF all end records. */
  readonly loneCr: boolean;
}
