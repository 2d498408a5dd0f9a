import { lockOf } from './locks/lock-file.ts';
import { partialOf, siblingPath } from './sibling-path.ts';

/** The files next to an output while it is written. */
export interface OutputNames {
  partial: string;
  checkpoint: string;
  /** The next checkpoint, before it replaces the current one. */
  newCheckpoint: string;
  /** What was set aside. */
  oldPartial: string;
  oldCheckpoint: string;
  lock: string;
}

/** @param path of the output, with links followed */
export function outputNames(path: string): OutputNames {
  const checkpoint = siblingPath(path, '.checkpoint', '.new'.length);
  return {
    partial: partialOf(path),
    checkpoint,
    newCheckpoint: `${checkpoint}.new`,
    oldPartial: siblingPath(path, '.partial.old'),
    oldCheckpoint: siblingPath(path, '.checkpoint.old'),
    lock: lockOf(path),
  };
}
