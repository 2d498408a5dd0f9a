import type { ColumnOptions } from './column-options.ts';

/** A column of a file of groups that is written, not copied. */
export interface EncodedColumn {
  readonly name: string;
  readonly type: 'number' | 'text';
  /** Whether few of its values repeat, as those of probabilities. */
  readonly isVaried?: boolean;
}

/** What a file of groups is made of. */
export interface GroupEncoding extends Pick<ColumnOptions, 'keep' | 'rename'> {
  /** The columns of the rows that are written: those of the input that are not copied, and the appended ones. */
  readonly columns: readonly EncodedColumn[];
  /** Texts that stand for a missing number. */
  readonly nulls: readonly string[];
  /** The name of the output, for messages. */
  readonly file: string;
}
