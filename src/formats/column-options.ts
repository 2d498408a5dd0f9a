import type { RowGroups } from './records/row-groups.ts';

/** The options that decide which columns an output has, and what they are called. */
export interface ColumnOptions {
  /** The input's columns, in this order; by default all. */
  keep?: 'all' | 'none' | readonly string[] | undefined;
  /** Name of a column → its name in the output. */
  rename?: Readonly<Record<string, string>> | undefined;
  /** False if the output has no header line. */
  outputHeader?: boolean | undefined;
  /** Column → its type as options and reports call it, if it is known. */
  types?: Readonly<Record<string, string>> | undefined;
  /** What is written of the input, if anything is. */
  writes?: WrittenFile | undefined;
}

/** A file that is written. */
export interface WrittenFile {
  /** Its name without the suffix of a compression. */
  readonly name: string;
  /** The name of its format; by default that of the input. */
  readonly format?: string | undefined;
  /** How its rows are grouped, unless it is text or the groups of the input stay as they are. */
  readonly groups?: RowGroups | undefined;
  /** Whether its columns of numbers can have nothing else. */
  readonly hasNumbers?: boolean | undefined;
  /** Whether it is there, so that the types of the options are those of its columns. */
  readonly isThere?: boolean | undefined;
}
