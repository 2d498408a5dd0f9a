/** The options that decide which columns an output has, and what they are called. */
export interface ColumnOptions {
  /** The input's columns, in this order; by default all. */
  keep?: 'all' | 'none' | readonly string[] | undefined;
  /** Name of a column → its name in the output. */
  rename?: Readonly<Record<string, string>> | undefined;
  /** False if the output has no header line. */
  outputHeader?: boolean | undefined;
}
