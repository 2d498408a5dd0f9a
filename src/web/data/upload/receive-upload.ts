import type { Readable } from 'node:stream';
import { uploadError } from '../data-errors.ts';
import { type DataMeta, storedName } from '../data-files.ts';
import type { DataStore } from '../data-store.ts';
import { startProfile } from '../profile/start-profile.ts';
import { noSettings } from '../settings.ts';
import { Incoming } from './incoming.ts';

export interface Upload {
  /** The file's bytes, plain, gzip or zstd. It is destroyed as soon as an error is found in them. */
  body: Readable;
  /** The file's name, to be shown. */
  name: string;
  /** By default that of the name. */
  delimiter?: string | undefined;
  /** The number of bytes, if the client says it: then a file that is too large is refused before it arrives. */
  size?: number | undefined;
  /** The name of the key that uploads it. */
  by: string;
  limits: { recordBytes: number; columns: number };
}

/**
 * Stores an upload and its profile. The file is checked while it arrives, so an error near its beginning ends a long
 * upload early.
 *
 * @throws RequestError `invalid_csv`, `quota_exceeded`, `disk_full`, or what the body fails with
 */
export async function receiveUpload(store: DataStore, upload: Upload): Promise<DataMeta> {
  const { body, name, delimiter, by, limits } = upload;
  // The upload may fail before anything reads it; the reader gets the error then.
  body.on('error', () => {});
  const { space } = store;
  let incoming: Incoming | undefined;
  let isStored = false;
  try {
    space.check(by, upload.size ?? 0);
    incoming = await Incoming.create(store.home, storedName(name));
    space.begin(incoming.id, by);
    const running = startProfile({
      path: incoming.path,
      name,
      delimiter,
      maxRecordBytes: limits.recordBytes,
      maxColumns: limits.columns,
      maxContentBytes: store.quota.total,
    });
    try {
      // Ends the loop, which waits for the next bytes.
      running.outcome.catch(error => body.destroy(error));
      for await (const chunk of body as AsyncIterable<Buffer>) {
        space.cover(incoming.id, incoming.size + chunk.length);
        await incoming.write(chunk);
        running.onGrowth(incoming.size);
        await running.keptUp(incoming.size);
      }
      running.onWhole(incoming.size);
      const profile = await running.outcome;
      const meta: DataMeta = {
        id: incoming.id,
        name,
        file: storedName(name),
        ...(delimiter !== undefined && { delimiter }),
        created: new Date().toISOString(),
        by,
        bytes: incoming.size,
        contentBytes: profile.contentBytes,
        rows: profile.rows,
        columns: profile.columns.length,
        settings: noSettings,
      };
      const bytes = await incoming.finish(meta, profile);
      isStored = true;
      space.set(incoming.id, bytes);
      return meta;
    } finally {
      await running.stop();
    }
  } catch (error) {
    throw uploadError(error);
  } finally {
    body.destroy();
    await incoming?.discard();
    if (incoming !== undefined && !isStored) space.release(incoming.id);
  }
}
