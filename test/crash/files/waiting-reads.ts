// Preloaded before the command: a read of a file waits, so that the process can be killed while it reads the file.
import { writeFileSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The file, after how many bytes of it to wait, and a file that says that it waits. */
const [path, offset, sign]: [string, number, string] = JSON.parse(process.env.WAITING_READ ?? '[]');
/** Longer than the kill takes. */
const WAIT_MS = 60_000;

const handle = await open('/dev/null');
const prototype: FileHandle = Object.getPrototypeOf(handle);
await handle.close();
const { ino } = await stat(path);

type Read = (this: FileHandle, ...options: unknown[]) => Promise<{ bytesRead: number }>;
const read = prototype.read as unknown as Read; // one of its overloads
let done = 0;

Object.assign(prototype, {
  async read(this: FileHandle, ...options: unknown[]) {
    const result = await read.apply(this, options);
    if ((await this.stat()).ino !== ino) return result;
    done += result.bytesRead;
    if (done < offset && result.bytesRead > 0) return result;
    writeFileSync(sign, '');
    await delay(WAIT_MS);
    return result;
  },
});
