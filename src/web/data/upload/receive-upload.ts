import type { Readable } from 'node:stream';
import { onAbort } from '../../../base/interrupted.ts';
import { type RecognizedUpload, recognizeUpload } from '../../recognize-upload.ts';
import type { UploadClient } from '../../session/with-session.ts';
import { type DataMeta, uploadError } from '../data-files.ts';
import type { DataStore } from '../data-store.ts';
import type { Profile } from '../profile/profile-shape.ts';
import type { WorkerJob } from '../profile/profile-worker.ts';
import { startProfile } from '../profile/start-profile.ts';
import { noSettings } from '../settings.ts';
import { Incoming } from './incoming.ts';

export interface ReceivedUpload {
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
  client: UploadClient;
  /** The largest record, the most columns, and the most bytes of a row group of Parquet, uncompressed. */
  limits: { recordBytes: number; columns: number; groupBytes: number };
}

/** Stores an upload and its profile as data. @throws as `withUpload` */
export const receiveUpload = (store: DataStore, upload: ReceivedUpload): Promise<DataMeta> =>
  withUpload(store, upload, async ({ incoming, profile, ...read }) => {
    const meta: DataMeta = {
      id: incoming.id,
      name: upload.name,
      ...read,
      created: new Date().toISOString(),
      by: upload.by,
      bytes: incoming.size,
      contentBytes: profile.contentBytes,
      rows: profile.rows,
      columns: profile.columns.length,
      settings: noSettings,
    };
    store.space.set(incoming.id, await incoming.finish(meta, profile));
    return meta;
  });

/**
 * Receives an upload, and removes it once it was used, unless it has become data. Text is checked while it arrives, so
 * an error near its beginning ends a long upload early. Parquet is read from its end, so it is checked once it is
 * stored.
 *
 * @throws RequestError `invalid_csv`, `quota_exceeded`, `disk_full`, or what the body or its use fails with
 */
export async function withUpload<T>(
  store: DataStore,
  upload: ReceivedUpload,
  use: (
    arrived: { incoming: Incoming; profile: Profile } & Pick<DataMeta, 'file' | 'delimiter'>,
  ) => Promise<T>,
): Promise<T> {
  const { body, name, by, limits, client } = upload;
  // The upload may fail before anything reads it; the reader gets the error then.
  body.on('error', () => {});
  const { space } = store;
  let incoming: Incoming | undefined;
  try {
    space.check(by, upload.size ?? 0);
    const { format, bytes } = await recognizeUpload(body, name);
    const isParquet = format === 'parquet';
    const file: DataMeta['file'] = `data.${format}`;
    const delimiter = isParquet ? undefined : upload.delimiter;
    incoming = await Incoming.create(store.home, file);
    space.begin(incoming.id, by);
    const job: WorkerJob = {
      path: incoming.path,
      name,
      format,
      delimiter,
      maxRecordBytes: limits.recordBytes,
      maxColumns: limits.columns,
      maxContentBytes: store.quota.total,
      maxGroupBytes: limits.groupBytes,
    };
    const arriving = { body, bytes, incoming, store };
    const profile = isParquet ? await checkStored(arriving, job, client) : await checkArriving(arriving, job);
    return await use({ incoming, file, ...(delimiter !== undefined && { delimiter }), profile });
  } catch (error) {
    throw uploadError(error);
  } finally {
    body.destroy();
    await incoming?.discard();
    if (incoming !== undefined && !incoming.isData) space.release(incoming.id);
  }
}

interface Arriving extends Pick<RecognizedUpload, 'bytes'> {
  body: Readable;
  incoming: Incoming;
  store: DataStore;
}

/** Stores the bytes of an upload. @param onStored called after each write */
async function storeAll(
  { bytes, incoming, store }: Arriving,
  onStored: (chunk: Buffer) => void | Promise<void> = () => {},
): Promise<void> {
  for await (const chunk of bytes) {
    store.space.cover(incoming.id, incoming.size + chunk.length);
    await incoming.write(chunk);
    await onStored(chunk);
  }
}

async function checkArriving(arriving: Arriving, job: WorkerJob): Promise<Profile> {
  const running = startProfile(job);
  try {
    // Ends the loop, which waits for the next bytes.
    running.outcome.catch(error => arriving.body.destroy(error));
    await storeAll(arriving, chunk => {
      running.write(chunk);
      return running.keptUp(arriving.incoming.size);
    });
    running.end();
    return await running.outcome;
  } finally {
    await running.stop();
  }
}

async function checkStored(arriving: Arriving, job: WorkerJob, client: UploadClient): Promise<Profile> {
  await storeAll(arriving);
  client.gone.throwIfAborted();
  const running = startProfile(job);
  const callOff = onAbort(client.gone, () => void running.stop());
  try {
    return await client.waits(running.outcome);
  } catch (error) {
    client.gone.throwIfAborted();
    throw error;
  } finally {
    callOff();
    await running.stop();
  }
}
