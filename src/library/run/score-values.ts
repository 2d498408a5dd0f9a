import type { runOptions } from '../../base/options/score.ts';
import type { Values } from '../../base/options/values/resolve-options.ts';
import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import type { RunRecord } from './run-record.ts';

/** The options of a scoring run. */
export type ScoreValues = Values<typeof runOptions>;

/** A scoring run whose files are locked. */
export interface Scoring {
  values: ScoreValues;
  /** A path, or `-` for stdin. */
  input: string;
  held: LockedPaths;
  record: RunRecord;
  /** Aborted by the first signal. */
  stop: AbortSignal;
}
