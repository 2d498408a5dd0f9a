import { schemeOf } from '../../base/scheme.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
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

/** The durable outputs of a run. The checkpoint of `output` covers all of them. */
export interface RunOutputs {
  output: DurableOutput;
  rejects: DurableOutput;
  /** Whether the rejects have their default place; then they are only written if there are any. */
  hasDefaultRejects: boolean;
  /** The rows that `repair` put into their places. */
  repaired: DurableOutput;
}

/** @param rejects by default next to the output */
export const runOutputsOf = (output: DurableOutput, rejects?: DurableOutput): RunOutputs => ({
  output,
  rejects: rejects === undefined ? output.beside('.rejects') : underLockOf(output, rejects),
  hasDefaultRejects: rejects === undefined,
  repaired: output.beside('.repaired', '.partial'.length),
});

/** In the same storage, what the lock of the output shows about other processes holds for its rejects too. */
const underLockOf = (output: DurableOutput, rejects: DurableOutput): DurableOutput =>
  schemeOf(output.address) === schemeOf(rejects.address) ? output.at(rejects.address) : rejects;
