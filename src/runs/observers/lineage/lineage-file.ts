import type { RunObserver } from '../../observer.ts';
import type { LockedOutput } from '../../paths/lock-paths.ts';
import { resultFile } from '../result-file.ts';

/** Writes the file of --lineage. */
export const lineageFile = (lock: () => Promise<LockedOutput>): RunObserver =>
  resultFile(async run => {
    // Loaded only when it is needed.
    const { lineageText } = await import('./lineage-text.ts');
    return { ...(await lock()), text: summary => lineageText(summary, run.columnsOf) };
  });
