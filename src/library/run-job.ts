import { LAST } from '../base/options/drift.ts';
import type { RunPathsOptions } from '../runs/paths/run-paths.ts';
import type { RunNames } from '../runs/summary/summary.ts';
import type { Backends } from '../storage/backends.ts';
import type { UsedFile } from '../storage/target.ts';
import type { JobValues } from './job-values.ts';

/** What is to be scored. */
export interface RunJob {
  values: JobValues;
  /** What the names of its files belong to, with the stores as the options have them. */
  backends: Backends;
  /** The inputs that are files, as given: paths, `-` for stdin, patterns. */
  inputs: readonly string[];
  /** The paths of the run, if it has a single input. */
  places: RunPathsOptions;
  names: RunNames;
  /** The output with the variables that a definition has in its name, if it has any. */
  outputAsWritten?: string | undefined;
}

/** A run must not replace the summary with which it is compared. */
export const comparedFiles = ({ compare }: Pick<JobValues, 'compare'>): UsedFile[] =>
  compare === undefined || compare === LAST
    ? []
    : [{ at: compare, what: 'the earlier summary', option: '--compare' }];
