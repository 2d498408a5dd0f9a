import type { Quota } from '../quota/quota.ts';
import { Space } from '../quota/space.ts';
import type { RunStore } from './run-store.ts';

/** Removes what runs left whose process was killed, and counts the others. */
export async function countRuns(store: RunStore, quota: Quota): Promise<Space> {
  const space = new Space(quota, 'The output');
  for (const id of await store.ids()) {
    const run = await store.read(id);
    if (run === undefined) await store.removeLeft(id);
    else {
      if (run.status === 'interrupted') await store.removeFiles(id);
      space.begin(id, run.by);
      space.set(id, await store.size(id));
    }
  }
  return space;
}
