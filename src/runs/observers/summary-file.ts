import type { UsedFile } from '../../storage/target.ts';
import type { RunObserver } from '../observer.ts';
import { type LockedOutput, lockOutput } from '../paths/lock-paths.ts';
import type { RunPathsOptions } from '../paths/run-paths.ts';
import type { Summary } from '../summary/summary.ts';
import { resultFile, writeWhole } from './result-file.ts';

/**
 * Writes the file of --summary, which the run has locked with its other files. It is also written for a run that was
 * refused before that, unless the file may belong to another run.
 */
export function summaryFile(paths: RunPathsOptions): RunObserver {
  const file = resultFile(async (_, { summary }) => summary && { target: summary, text: summaryText });
  let hasBegun = false;
  return {
    ...file,
    begin(run, files) {
      hasBegun = true;
      return file.begin(run, files);
    },
    async ended(summary, stop) {
      if (hasBegun) return file.ended(summary, stop);
      await writeUnlocked(paths, summary);
    },
  };
}

/** Writes the summary of a run that holds no lock: it was refused, or waits for its training. */
export async function writeUnlocked(paths: RunPathsOptions, summary: Summary): Promise<void> {
  const held = await lockSummary(paths, summary.error?.code);
  if (held === undefined) return;
  try {
    await writeWhole(held.target, summaryText(summary), AbortSignal.abort());
  } finally {
    await held.release();
  }
}

/**
 * The summary as JSON. Those of several files are written one after the other: together they may not fit into a string.
 */
export function* summaryText(summary: Partial<Summary>): Generator<string> {
  const { runs } = summary;
  const whole = JSON.stringify({ ...summary, runs: runs && [] }, null, 2);
  // A member of the summary itself: strings have no line breaks, and members of others are further in.
  const [before = '', after] = whole.split('\n  "runs": []');
  yield before;
  if (runs && after !== undefined) {
    yield '\n  "runs": [';
    let separator = '';
    for (const run of runs) {
      yield `${separator}\n${JSON.stringify(run, null, 2)}`.replaceAll('\n', '\n    ');
      separator = ',';
    }
    yield separator === '' ? ']' : '\n  ]';
    yield after;
  }
  yield '\n';
}

/** After these errors, the summary file may belong to another run or have another purpose, so it is left alone. */
const AMBIGUOUS: readonly string[] = ['locked', 'same_output', 'output_is_input'];

/**
 * Locks the summary file of a run that was refused or waits for its training, so that it can be written and does not
 * keep the result of an earlier run.
 *
 * @param refusal the code of the error with which the run was refused; undefined before it starts
 * @returns undefined without `--summary`, or if the file may not be this run's to write
 */
async function lockSummary(
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
