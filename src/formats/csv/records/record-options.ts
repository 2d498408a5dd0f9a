import type { Dialect } from '../../../base/parse-records.ts';
import type { BatchOptions } from '../../records/batch-options.ts';
import type { NumberFinder } from '../fields/number-finder.ts';
import type { EmptyRecord } from './empty-record.ts';
import type { RepeatedHeader } from './repeated-header.ts';

/** Options of `RecordReader`. */
export interface RecordOptions extends BatchOptions {
  dialect: Dialect;
  /** Number of columns; with a single column, an empty line is a record with an empty value. */
  width: number;
  /** Finds the header among the records, if it may be there. */
  header?: RepeatedHeader | undefined;
  /** Finds records without a value, if they are no rows. */
  empty?: EmptyRecord | undefined;
  /** Finds records with a text in a column of numbers, if there are such columns. */
  numbers?: NumberFinder | undefined;
}
