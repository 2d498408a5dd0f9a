import type { batchOptions } from '../pace.ts';
import type { scoreOptions } from '../score.ts';
import type { Values } from './resolve-options.ts';

/** What a report was trained from. */
export interface History {
  /** An absolute path or pattern, or several. */
  path: string | string[];
  /** The `combinedSha256` of the files. */
  sha256: string;
}

/** The options of a scoring run, with all defaults filled in: those of the table, and what is read. */
export type RunValues = Omit<Values<typeof scoreOptions & typeof batchOptions>, 'report'> & {
  /** A path or `-` for stdin. */
  input: string;
  report: string;
  /** Whether an unfinished run is set aside if its report was trained again, because it can never be resumed. */
  restartIfRetrained?: boolean | undefined;
  /** What the report was trained from, if the command trains it again when that changes. */
  history?: History | undefined;
};
