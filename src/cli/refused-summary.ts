import { RowcastError } from '../errors.ts';
import { type LockedOutput, lockOutput } from '../runs/paths/lock-paths.ts';
import type { RunPathsOptions } from '../runs/paths/run-paths.ts';
import type { UsedFile } from '../storage/local/used-file.ts';

/** Refusals after which the summary may be another run's, or a file that is used for something else. */
const AMBIGUOUS: readonly string[] = ['locked', 'same_output', 'output_is_input'];

/**
 * Takes the summary of a run whose other files could not be taken, so that it does not keep saying how an earlier run
 * ended.
 *
 * @param error what the run was refused for
 * @returns undefined where none was asked for, or it cannot be written without doubt
 */
export async function takeSummary(
  { input, output, rejects, summary, reads = [] }: RunPathsOptions,
  error: unknown,
): Promise<LockedOutput | undefined> {
  if (summary === undefined || summary === '-') return undefined;
  if (error instanceof RowcastError && AMBIGUOUS.includes(error.code)) return undefined;
  const others: UsedFile[] = [output, rejects ?? '-']
    .filter(path => path !== '-')
    .map(at => ({ at, what: 'another output', option: '--summary' }));
  return lockOutput(summary, input, [...reads, ...others]).catch(() => undefined); // the refusal is reported
}
