import type { RunObserver } from '../../runs/observer.ts';
import type { RunStore } from './run-store.ts';

/** Keeps the summary in the folder of a run. Nothing is left of the output of a run that failed. */
export const runFolder = (store: RunStore, id: string): RunObserver => ({
  begin: run => store.writeSummary(id, run.state),
  async ended(summary) {
    if (summary.status !== 'finished') await store.removeFiles(id);
    await store.writeSummary(id, summary);
  },
});
