import { schemeOf } from '../../base/scheme.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';

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
