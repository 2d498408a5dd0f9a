// Preloaded before the command: one of its fdatasync calls fails, and everything written since the previous one is
// lost.
import { type FileHandle, open } from 'node:fs/promises';
import { lose, syncError, UnsyncedWrites } from './unsynced-writes.ts';

const number = Number(process.env.FAILING_SYNC);

const handle = await open('/dev/null');
const prototype: FileHandle = Object.getPrototypeOf(handle);
await handle.close();

/** The signature that `storage/durable-files.ts` uses. */
type Write = (this: FileHandle, bytes: Uint8Array, at: number, length: number, offset: null) => unknown;
const { datasync } = prototype;
const write: Write = prototype.write;
const unsynced = new WeakMap<FileHandle, UnsyncedWrites>();
let syncs = 0;

Object.assign(prototype, {
  async write(this: FileHandle, bytes: Uint8Array, at: number, length: number, offset: null) {
    if (!unsynced.has(this)) unsynced.set(this, new UnsyncedWrites());
    unsynced.get(this)?.add((await this.stat()).size, length);
    return write.call(this, bytes, at, length, offset);
  },
  async datasync(this: FileHandle) {
    const writes = unsynced.get(this)?.take() ?? [];
    if (++syncs !== number) return datasync.call(this);
    await lose(`/dev/fd/${this.fd}`, writes);
    throw syncError();
  },
});
