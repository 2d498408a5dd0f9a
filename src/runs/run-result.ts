import type { StoredTally } from '../scoring/counting/run-tally.ts';
import type { RowCounts } from '../scoring/row-counts.ts';
import type { DataFigures } from './drift/figures.ts';
import type { WrittenExtents } from './output/output.ts';
import type { Checksums } from './summary/summary.ts';

/** The result of a run. */
export interface RunResult {
  rowCounts: RowCounts;
  /** The row at which an unfinished run was resumed. */
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
  /** What was found in the data; undefined if the report's profile has changed since the run began. */
  figures: DataFigures | undefined;
  /** The counts that it was made from. */
  tally: StoredTally | undefined;
  /** See `Summary.digest`; undefined if not all of the input was read. */
  digest: string | undefined;
  /** The bytes of output and rejects, if they are files. */
  written: WrittenExtents | undefined;
}
