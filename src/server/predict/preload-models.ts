import { setTimeout as sleep } from 'node:timers/promises';
import { newestReportIds } from '../../models/store/report-store.ts';
import type { ModelCache } from './model-cache.ts';

/** The share of the cache that is filled: what is loaded later must not drop what was loaded first. */
const FILLED = 0.5;

/**
 * Loads models before the first request needs them, those of the reports that were trained last first, until the time is
 * over or half of the memory for models is used. A report that cannot be loaded is left to the request that asks for it.
 *
 * @returns the ids of the loaded reports, in the order in which they were loaded
 */
export async function preloadModels(home: string, models: ModelCache, ms: number): Promise<string[]> {
  const loaded: string[] = [];
  const late = new AbortController();
  const timeout = sleep(ms, undefined, { signal: late.signal, ref: false }).catch(() => {});
  let isLate = false;
  timeout.then(() => {
    isLate = true;
  });
  const load = async (): Promise<void> => {
    for (const id of await newestReportIds(home)) {
      if (isLate || models.bytes > models.maxBytes * FILLED) return;
      await models.predictor(id).then(
        () => loaded.push(id),
        () => {}, // Its requests get the error.
      );
    }
  };
  // A large model goes on loading, and the service does not wait for it.
  await Promise.race([load().catch(() => {}), timeout]);
  late.abort();
  return [...loaded];
}
