import type { RunObserver } from '../observer.ts';
import type { RunPathsOptions } from '../paths/run-paths.ts';
import type { Summary } from '../summary/summary.ts';
import { lockSummary } from './lock-summary.ts';
import { resultFile } from './result-file.ts';
import { writeWhole } from './write-whole.ts';

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

/** The summary as JSON. Those of several files are written one after the other: together they may not fit into a string. */
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
