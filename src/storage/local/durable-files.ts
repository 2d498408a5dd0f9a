import { chmod, type FileHandle, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { withDescriptor } from './descriptor-limit.ts';
import { isMissing, unlessMissing } from './missing.ts';

/**
 * File operations on which resuming a run depends. A separate layer, so that a test can record the order of writes, syncs
 * and renames, and kill the process between any two.
 */
export interface Files {
  /** Opens for writing without truncating; creates the file with `mode` if it does not exist. */
  open(path: string, mode: number): Promise<WritableFile>;
  /** Replaces `to` atomically: a reader sees the old or the new file. Does nothing if `from` does not exist. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file if it exists. */
  remove(path: string): Promise<void>;
  /** Makes renames and removals in a folder durable; a file's own sync does not (fsync(2)). */
  syncFolder(path: string): Promise<void>;
  /** The whole file, or undefined if it does not exist. */
  read(path: string): Promise<Buffer | undefined>;
  /** Bytes at an offset, fewer at the end of the file; undefined if the file does not exist. */
  readAt(path: string, offset: number, length: number): Promise<Buffer | undefined>;
  /** Size in bytes, or undefined if the file does not exist. */
  size(path: string): Promise<number | undefined>;
}

export interface WritableFile {
  /** Size in bytes. */
  size(): Promise<number>;
  /** Truncates the file. */
  truncate(size: number): Promise<void>;
  /** Writes all of `bytes` at an offset. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Makes what was written durable (fdatasync(2)). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The real files. */
export const diskFiles: Files = {
  async open(path, mode) {
    const handle = await withDescriptor(() => open(path, 'r+')).catch(
      async (cause: NodeJS.ErrnoException) => {
        if (isMissing(cause)) return withDescriptor(() => open(path, 'wx+', mode));
        if (cause.code !== 'EACCES') throw cause;
        // The mode is copied from the input, so a read-only input must not prevent a run from resuming.
        await chmod(path, mode | 0o600);
        const own = await open(path, 'r+');
        await own.chmod(mode);
        return own;
      },
    );
    return writable(handle);
  },
  rename: (from, to) => rename(from, to).catch(unlessMissing),
  remove: path => unlink(path).catch(unlessMissing),
  async syncFolder(path) {
    const folder = await withDescriptor(() => open(path, 'r')).catch((cause: NodeJS.ErrnoException) => {
      // A folder that is writable but not readable cannot be synced; it is used anyway.
      if (cause.code !== 'EACCES') throw cause;
    });
    await folder?.sync().finally(() => folder.close());
  },
  read: path => readFile(path).catch(unlessMissing),
  async readAt(path, offset, length) {
    const file = await withDescriptor(() => open(path)).catch(unlessMissing);
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(length);
    let size = 0;
    try {
      for (let read = -1; read !== 0 && size < length; size += read)
        read = (await file.read(bytes, size, length - size, offset + size)).bytesRead;
    } finally {
      await file.close();
    }
    return bytes.subarray(0, size);
  },
  size: async path => (await stat(path).catch(unlessMissing))?.size,
};

function writable(handle: FileHandle): WritableFile {
  return {
    size: async () => (await handle.stat()).size,
    truncate: size => handle.truncate(size),
    async write(bytes, offset) {
      for (let at = 0; at < bytes.length; )
        at += (await handle.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}
