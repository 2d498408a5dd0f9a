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
  const file = resultFile(async (_, { summary }) => summary && { target: summary, text: textOf });
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
    await writeWhole(held.target, textOf(summary), AbortSignal.abort());
  } finally {
    await held.release();
  }
}

const textOf = (summary: Summary): string => `${JSON.stringify(summary, null, 2)}\n`;
