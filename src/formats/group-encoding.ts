import type { GroupEncoder } from '../base/text-of-file.ts';
import type { ColumnOptions } from './output-columns.ts';

/** A column of a file of groups that is written, not copied. */
export interface EncodedGroupColumn {
  readonly name: string;
  readonly type: 'number' | 'text';
  /** Whether few of its values repeat, as those of probabilities. */
  readonly isVaried?: boolean;
}

/** What a file of groups is made of. */
export interface GroupEncoding extends Pick<ColumnOptions, 'keep' | 'rename'> {
  /** Texts that stand for a missing number. */
  readonly nulls: readonly string[];
  /** The name of the output, for messages. */
  readonly file: string;
}

/**
 * Makes groups of rows.
 *
 * @param columns of the rows: those of the input that are not copied, and the appended ones
 * @throws RowcastError `duplicate_columns`
 */
export type EncoderOf = (columns: readonly EncodedGroupColumn[]) => GroupEncoder;
