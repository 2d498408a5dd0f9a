import type { RunObserver } from '../observer.ts';
import type { LockedOutput } from '../paths/lock-paths.ts';
import { metricsText } from './metrics-text.ts';
import { resultFile } from './result-file.ts';

/** Writes the file of --metrics. */
export const metricsFile = (lock: () => Promise<LockedOutput>): RunObserver =>
  resultFile(async () => ({ ...(await lock()), text: summary => [metricsText(summary)] }));
