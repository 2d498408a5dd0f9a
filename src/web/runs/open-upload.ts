import { type FileHandle, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Interrupted } from '../../base/interrupted.ts';
import { UPLOAD_WINDOW_BYTES } from '../../storage/codecs/codec.ts';
import type { Source } from '../../storage/source.ts';
import { streamSource } from '../../storage/stream-source.ts';
import { type FileFormat, recognizeUpload } from '../recognize-upload.ts';
import { THREAD_BYTES } from '../stored-upload.ts';
import { openThreaded } from './threaded-source.ts';

export interface OpenUploadOptions {
  /** The name of the file. */
  name: string;
  /** Where it is stored if it cannot be read while it arrives. */
  path: string;
  /** Stops the upload. */
  stop: AbortSignal;
  /** Reserves the bytes that the run takes up on the disk; throws if there is no room. */
  reserve(bytes: number): void;
  /** Waits until the run may have this many bytes of memory. */
  remember(bytes: number): Promise<void>;
  /** Called as soon as the format is known. */
  onFormat(format: FileFormat): Promise<void>;
  /** Called when the file is stored: nothing more comes from the client. */
  onStored(): void;
}

/**
 * Opens an upload to be scored: text while it arrives, and Parquet, which is read from its end, when it is stored.
 *
 * @throws RowcastError `bad_parquet`; Interrupted; what the upload or `reserve` fails with
 */
export async function openUpload(upload: Readable, options: OpenUploadOptions): Promise<Source> {
  const { name, path, stop, remember, onFormat, onStored } = options;
  const onStop = (): void => void upload.destroy(new Interrupted(stop));
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop);
  try {
    const { format, bytes, windowBytes } = await recognizeUpload(upload, name);
    await onFormat(format);
    if (format !== 'parquet') {
      await remember(windowBytes);
      return streamSource(name, Readable.from(bytes, { objectMode: false }), UPLOAD_WINDOW_BYTES);
    }
    const file = await open(path, 'wx', 0o600);
    try {
      await storeAll(bytes, file, options);
      onStored();
      await remember(THREAD_BYTES);
      return await openThreaded(path, name);
    } finally {
      await file.close();
    }
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

async function storeAll(
  bytes: AsyncIterable<Buffer>,
  file: FileHandle,
  { reserve }: OpenUploadOptions,
): Promise<void> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    // The columns are copied to the output.
    reserve(2 * size);
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
  }
}

/** Removes the file that `openUpload` may have stored. */
export const removeUpload = (path: string): Promise<void> => rm(path, { force: true });
