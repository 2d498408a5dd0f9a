import { constants } from 'node:fs';
import { chmod, type FileHandle, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileAccess, keepAccess, PRIVATE, restrictAccess } from './local/access.ts';
import { isMissing, unlessMissing } from './local/missing.ts';

/**
 * File operations on which resuming a run depends. A separate layer, so that a test can record the order of writes,
 * syncs and renames, and kill the process between any two.
 */
export interface Files {
  /**
   * Opens for writing without truncating; creates the file if it does not exist. One that exists keeps its mode, unless
   * only its owner may use it.
   */
  open(path: string, access: FileAccess): Promise<WritableFile>;
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
  /**
   * Writes all of `bytes` at the end of the file. If another program has shortened the file, it stays too short, and a
   * later check finds that; a write at an offset would fill the gap with zeros.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes what was written durable (fdatasync(2)). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const APPENDING = constants.O_RDWR | constants.O_APPEND;

/** The real files. */
export const diskFiles: Files = {
  async open(path, access) {
    const handle = await openExisting(path).catch(cause => {
      if (isMissing(cause)) return withDescriptor(() => create(path, access));
      throw cause;
    });
    try {
      restrictAccess(handle.fd, access);
    } catch (error) {
      await handle.close();
      throw error;
    }
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

const openExisting = (path: string): Promise<FileHandle> =>
  withDescriptor(() => open(path, APPENDING)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EACCES') throw cause;
    return openReadOnly(path);
  });

async function create(path: string, access: FileAccess): Promise<FileHandle> {
  const file = await open(path, 'ax+', access.mode);
  try {
    keepAccess(file.fd, access);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** The mode is that of the file that it replaces, so a read-only one must not prevent a run from resuming. */
async function openReadOnly(path: string): Promise<FileHandle> {
  const { mode } = await stat(path);
  await chmod(path, mode | PRIVATE);
  try {
    return await open(path, APPENDING);
  } finally {
    await chmod(path, mode);
  }
}

function writable(handle: FileHandle): WritableFile {
  return {
    size: async () => (await handle.stat()).size,
    truncate: size => handle.truncate(size),
    async append(bytes) {
      for (let at = 0; at < bytes.length; )
        at += (await handle.write(bytes, at, bytes.length - at, null)).bytesWritten;
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

/** A descriptor becomes free when a connection or file is closed: number of attempts and the wait between them. */
const TRIES = 20;
const WAIT_MS = 50;

/**
 * Runs something that needs a file descriptor. If none is free, it is retried for a second.
 *
 * @throws errors of `act`; if the descriptor limit was reached, the message names it
 */
async function withDescriptor<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException; // errors of fs
      if (code !== 'EMFILE' && code !== 'ENFILE') throw cause;
      if (tries === TRIES) throw Object.assign(new Error(describeLimit(code), { cause }), { code });
    }
    await delay(WAIT_MS);
  }
}

function describeLimit(code: 'EMFILE' | 'ENFILE'): string {
  if (code === 'ENFILE') return 'ENFILE: this machine has too many open files (fs.file-max)';
  // The only way to get the limit in Node: files, including those of /proc, cannot be opened now.
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = report.userLimits?.open_files?.soft ?? 'unknown';
  return `EMFILE: this process has too many open files; its limit is ${limit} (ulimit -n)`;
}
