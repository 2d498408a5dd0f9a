import type { SharedDocument } from '../backend.ts';
import type { PatientClient } from './patient-client.ts';
import { storeError, unless } from './store-error.ts';

/** An object that is replaced on condition that no other process has replaced it since it was read. */
export const objectDocument = (open: () => Promise<PatientClient>): SharedDocument => ({
  read: async () => (await (await open()).get())?.bytes,
  async update(change) {
    const object = await open();
    try {
      for (;;) {
        const found = await object.get();
        const version = await object
          .put(change(found?.bytes), found?.head.version ?? null)
          .catch(unless('changed'));
        if (version !== undefined) return;
      }
    } catch (error) {
      throw storeError(object.name, 'write', error);
    }
  },
});
