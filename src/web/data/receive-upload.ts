import type { Readable } from 'node:stream';
import { RequestError } from '../../server/problems/problems.ts';
import { bytesText } from './bytes-text.ts';
import { uploadError } from './data-errors.ts';
import { type DataMeta, storedName } from './data-files.ts';
import type { DataStore } from './data-store.ts';
import { Incoming } from './incoming.ts';
import { startProfile } from './profile/start-profile.ts';
import type { Quota } from './quota.ts';
import { noSettings } from './settings.ts';

export interface Upload {
  /** The file's bytes, plain or gzip. It is destroyed as soon as an error is found in them. */
  body: Readable;
  /** The file's name, to be shown. */
  name: string;
  /** By default that of the name. */
  delimiter?: string | undefined;
  /** The number of bytes, if the client says it: then all of them are reserved before the first one arrives. */
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
  // It may fail before anything reads it; the reader gets the error then.
  body.on('error', () => {});
  const reserved = new Reservation(store.quota, upload.size ?? 0);
  let incoming: Incoming | undefined;
  try {
    incoming = await Incoming.create(store.home, storedName(name));
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
        reserved.cover(incoming.size + chunk.length);
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
      await incoming.finish(meta, profile);
      await store.onAdded(incoming.id);
      return meta;
    } finally {
      await running.stop();
    }
  } catch (error) {
    throw uploadError(error);
  } finally {
    await incoming?.discard();
    reserved.release();
  }
}

/** The part of the quota that one upload has reserved. */
class Reservation {
  readonly #quota: Quota;
  #bytes = 0;

  /** @throws RequestError `quota_exceeded` */
  constructor(quota: Quota, bytes: number) {
    this.#quota = quota;
    this.cover(bytes);
  }

  cover(bytes: number): void {
    if (bytes <= this.#bytes) return;
    if (!this.#quota.take(bytes - this.#bytes)) throw exceeded(this.#quota);
    this.#bytes = bytes;
  }

  release(): void {
    this.#quota.release(this.#bytes);
    this.#bytes = 0;
  }
}

const exceeded = ({ free, total }: Quota): RequestError =>
  new RequestError(
    'quota_exceeded',
    `The file does not fit: ${bytesText(free)} of ${bytesText(total)} are free. Delete data that is no longer needed.`,
  );
