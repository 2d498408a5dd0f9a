import type { RunPathsOptions } from '../../runs/paths/run-paths.ts';
import type { RunNames } from '../../runs/summary.ts';
import type { ScoreValues } from './score-values.ts';

/** What is to be scored. */
export interface RunJob {
  values: ScoreValues;
  /** The inputs that are files, as given: paths, `-` for stdin, patterns. */
  inputs: readonly string[];
  /** Of a single input. */
  places: RunPathsOptions;
  names: RunNames;
}
