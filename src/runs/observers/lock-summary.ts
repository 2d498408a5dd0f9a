import type { UsedFile } from '../../storage/target.ts';
import { type LockedOutput, lockOutput } from '../paths/lock-paths.ts';
import type { RunPathsOptions } from '../paths/run-paths.ts';

/** After these errors, the summary file may belong to another run or have another purpose, so it is left alone. */
const AMBIGUOUS: readonly string[] = ['locked', 'same_output', 'output_is_input'];

/**
 * Locks the summary file of a run that was refused or waits for its training, so that it can be written and does not
 * keep the result of an earlier run.
 *
 * @param refusal the code of the error with which the run was refused; undefined before it starts
 * @returns undefined without `--summary`, or if the file may not be this run's to write
 */
export async function lockSummary(
  { input, output, rejects, summary, private: isPrivate, reads = [] }: RunPathsOptions,
  refusal?: string,
): Promise<LockedOutput | undefined> {
  if (summary === undefined || summary === '-') return undefined;
  if (refusal !== undefined && AMBIGUOUS.includes(refusal)) return undefined;
  const others: UsedFile[] = [output, rejects]
    .filter((path): path is string => typeof path === 'string' && path !== '-')
    .map(at => ({ at, what: 'another output', option: '--summary' }));
  // The refusal is reported anyway.
  return lockOutput(summary, input, { reads: [...reads, ...others], isPrivate }).catch(() => undefined);
}
