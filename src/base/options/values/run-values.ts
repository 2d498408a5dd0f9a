import { runOptions } from '../score.ts';
import { resolveValues, type Values } from './resolve-options.ts';

/** What a report was trained from. */
export interface HistoryValues {
  /** An absolute path or pattern, or several. */
  path: string | string[];
  /** The `combinedSha256` of the files. */
  sha256: string;
}

/** The options of a scoring run, or of several, as resolved from their table: with all defaults. */
export type JobValues = Values<typeof runOptions>;

/** The options of a single run, and what is known of it besides them. */
export type RunValues = JobValues & {
  /** A path or `-` for stdin. */
  input: string;
  report: string;
  /** Whether an unfinished run is set aside if its report was trained again, because it can never be resumed. */
  restartIfRetrained?: boolean | undefined;
  /** What the report was trained from, if the command trains it again when that changes. */
  history?: HistoryValues | undefined;
};

/** The default options of a scoring run, for programs that call `score`. */
export const scoreDefaults = resolveValues(runOptions, {});
