// Loaded before the command: one of its calls of fdatasync fails, and what was written since the one before is lost.
import { type FileHandle, open } from 'node:fs/promises';
import { syncError, UnsyncedWrites } from './unsynced-writes.ts';

const number = Number(process.env.FAILING_SYNC);

const handle = await open('/dev/null');
const prototype: FileHandle = Object.getPrototypeOf(handle);
await handle.close();

/** As `storage/local/durable-files.ts` calls it. */
type Write = (this: FileHandle, bytes: Uint8Array, at: number, length: number, offset: number) => unknown;
const { datasync } = prototype;
const write: Write = prototype.write;
const unsynced = new WeakMap<FileHandle, UnsyncedWrites>();
let syncs = 0;

Object.assign(prototype, {
  write(this: FileHandle, bytes: Uint8Array, at: number, length: number, offset: number) {
    if (!unsynced.has(this)) unsynced.set(this, new UnsyncedWrites());
    unsynced.get(this)?.add(offset, length);
    return write.call(this, bytes, at, length, offset);
  },
  async datasync(this: FileHandle) {
    const writes = unsynced.get(this)?.take() ?? [];
    if (++syncs !== number) return datasync.call(this);
    for (const { offset, length } of writes) await write.call(this, Buffer.alloc(length), 0, length, offset);
    throw syncError();
  },
});
