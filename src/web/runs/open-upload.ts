import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Interrupted, onAbort } from '../../base/interrupted.ts';
import { UPLOAD_WINDOW_BYTES } from '../../storage/codecs/codec.ts';
import type { Source } from '../../storage/source.ts';
import { type FileFormat, recognizeUpload, UPLOAD_THREAD_BYTES } from '../recognize-upload.ts';
import { openThreaded } from './threaded-source.ts';

/** What is told, and asked, while an upload is stored. */
export interface UploadObserver {
  /** Reserves the bytes that the run takes up on the disk; throws if there is no room. */
  reserve(bytes: number): void;
  /** Called as soon as the format of the file is known. */
  onFormat(format: FileFormat): Promise<void>;
  /** Called when the file is stored: nothing more comes from the client, which may leave. */
  onStored(): void;
}

interface OpenUploadOptions extends UploadObserver {
  name: string;
  /** Where it is stored. */
  path: string;
  /** Stops the upload. */
  stop: AbortSignal;
  /** Waits until the run may have this many bytes of memory. */
  remember(bytes: number): Promise<void>;
}

/**
 * Stores an upload, and opens it to be scored: its client may leave then.
 *
 * @throws RowcastError `bad_parquet`; Interrupted; what the upload or `reserve` fails with
 */
export async function openUpload(upload: Readable, options: OpenUploadOptions): Promise<Source> {
  const { name, path, stop, reserve, remember, onFormat, onStored } = options;
  const callOff = onAbort(stop, () => upload.destroy(new Interrupted(stop)));
  try {
    const { format, bytes, windowBytes } = await recognizeUpload(upload, name);
    await onFormat(format);
    const isParquet = format === 'parquet';
    const file = await open(path, 'wx', 0o600);
    try {
      // The columns of Parquet are copied to the output.
      await storeAll(bytes, file, size => reserve(isParquet ? 2 * size : size));
    } finally {
      await file.close();
    }
    onStored();
    await remember(isParquet ? UPLOAD_THREAD_BYTES : windowBytes);
    return await openThreaded(path, name, UPLOAD_WINDOW_BYTES);
  } finally {
    callOff();
  }
}

async function storeAll(
  bytes: AsyncIterable<Buffer>,
  file: FileHandle,
  reserve: (bytes: number) => void,
): Promise<void> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    reserve(size);
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
  }
}
