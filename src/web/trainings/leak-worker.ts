import { workerData } from 'node:worker_threads';
import { postResult } from '../../base/thread-result.ts';
import { previewLeaks } from '../../training/findings/leaks.ts';
import type { HistoryOptions } from '../../training/rows/read-history.ts';

// Only `leaks.ts` starts this file, with HistoryOptions.
await postResult(() => previewLeaks(workerData as HistoryOptions));
