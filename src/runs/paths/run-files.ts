import { type OutputNames, outputNames } from '../../storage/local/output-files.ts';
import { partialOf, siblingPath } from '../../storage/local/sibling-path.ts';

/** The local files of a run: its output, and those next to it until it ends. */
export interface RunFiles extends OutputNames {
  output: string;
  rejects: string;
  /** Whether the rejects file has its default path; then it is only created if there are rejects. */
  hasDefaultRejects: boolean;
  rejectsPartial: string;
  /** The rows that `repair` put into their places, as they were rejected. */
  repaired: string;
  repairedPartial: string;
}

/** @param rejects path of the rejects file; by default next to the output */
export function runFilesOf(output: string, rejects?: string): RunFiles {
  const rejectsFile = rejects ?? siblingPath(output, '.rejects');
  const repaired = siblingPath(output, '.repaired', '.partial'.length);
  return {
    ...outputNames(output),
    output,
    rejects: rejectsFile,
    hasDefaultRejects: rejects === undefined,
    rejectsPartial: partialOf(rejectsFile),
    repaired,
    repairedPartial: partialOf(repaired),
  };
}
