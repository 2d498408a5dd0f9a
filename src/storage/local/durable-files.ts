import { chmod, type FileHandle, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { withDescriptor } from './descriptor-limit.ts';

/**
 * What a run does to the files that it must be able to pick up again. A layer of its own, so that a test can
 * record the order of writes, syncs and renames, and end the process between any two.
 */
export interface Files {
  /** Opens for writing; creates with `mode` where there is none, keeps what is there. */
  open(path: string, mode: number): Promise<WritableFile>;
  /** Replaces `to` at once, so that a reader sees the old file or the new one; nothing where `from` is not there. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
  /** Makes renames and removals in a folder durable; a file's own sync does not (fsync(2)). */
  syncFolder(path: string): Promise<void>;
  /** The whole file, or undefined where there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /** A file's bytes at an offset, fewer where it ends before; undefined where there is none. */
  readAt(path: string, offset: number, length: number): Promise<Buffer | undefined>;
  /** Bytes of a file, or undefined where there is none. */
  size(path: string): Promise<number | undefined>;
}

export interface WritableFile {
  /** Bytes that it holds. */
  size(): Promise<number>;
  /** Cuts it off, or leaves it. */
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
        if (cause.code === 'ENOENT') return withDescriptor(() => open(path, 'wx+', mode));
        if (cause.code !== 'EACCES') throw cause;
        // Its owner may not write it either, where the input is so: that must not keep a run from going on.
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
      // A folder that may be written to but not read cannot be synced, and is used all the same.
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

function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause;
}

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
