import { parentPort, workerData } from 'node:worker_threads';
import { previewLeaks } from '../../training/findings/leaks.ts';
import type { HistoryOptions } from '../../training/rows/read-history.ts';

// Only `leaks.ts` starts this file, with HistoryOptions.
parentPort?.postMessage(await previewLeaks(workerData as HistoryOptions));
