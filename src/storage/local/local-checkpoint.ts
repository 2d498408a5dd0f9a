import { dirname } from 'node:path';
import type { Files } from '../durable-files.ts';
import type { CheckpointPlace } from '../durable-output.ts';
import { accessOf } from './access.ts';
import { replaceFile } from './atomic-write.ts';
import { outputNames } from './output-names.ts';

/** The checkpoint of a local output: a file next to it, with its access rights. */
export function localCheckpoint(path: string, isPrivate: boolean, files: Files): CheckpointPlace {
  const { checkpoint, newCheckpoint, oldCheckpoint } = outputNames(path);
  // A checkpoint has the access rights of the output as they are when the first one is saved.
  let access: ReturnType<typeof accessOf> | undefined;
  return {
    name: checkpoint,
    read: () => files.read(checkpoint),
    async replace(bytes) {
      access ??= accessOf(path, isPrivate);
      await replaceFile(files, checkpoint, bytes, { next: newCheckpoint, access });
    },
    async remove() {
      await files.remove(checkpoint);
      // Otherwise it could reappear after a power failure, and be applied to other files.
      await files.syncFolder(dirname(path));
    },
    async setAside() {
      await files.rename(checkpoint, oldCheckpoint);
      await files.syncFolder(dirname(path));
    },
    readSetAside: () => files.read(oldCheckpoint),
    removeSetAside: () => files.remove(oldCheckpoint),
  };
}
