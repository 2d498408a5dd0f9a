import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { accessOf } from '../../storage/local/access.ts';
import { replaceFileNow } from '../../storage/local/atomic-write.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import type { Target } from '../../storage/target.ts';

/** What is written at once. */
const PART_BYTES = 1 << 16;

/**
 * Writes a file atomically; a pipe or device is written directly.
 *
 * @param text in parts
 * @param stop aborts waiting for a reader of a FIFO
 * @throws RowcastError `unwritable_output`
 */
export async function writeWhole(target: Target, text: Iterable<string>, stop: AbortSignal): Promise<void> {
  const sink = await target.open(stop);
  try {
    let part = '';
    for (const more of text) {
      part += more;
      if (part.length < PART_BYTES) continue;
      await sink.write(Buffer.from(part));
      part = '';
    }
    if (part !== '') await sink.write(Buffer.from(part));
    await sink.close();
  } catch (error) {
    // What a full disk cut off is of no use.
    await sink.abandon().catch(() => {}); // the first error is reported
    throw error;
  }
}

/**
 * Writes over a small file where it is, for a disk that is full: it takes no more than what the file has already.
 *
 * @returns false if it has too little, or cannot be written
 */
export function overwriteNow(path: string, text: Iterable<string>): boolean {
  const bytes = codecOfName(path).compressNow(Buffer.from([...text].join('')));
  try {
    const file = openSync(path, 'r+');
    try {
      if (bytes.length > 512 * fstatSync(file).blocks) return false;
      writeSync(file, bytes, 0, bytes.length, 0);
      ftruncateSync(file, bytes.length);
      fsyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // the reason for which it could not be replaced is reported
  }
}

/**
 * Writes a small file synchronously, for a process that is about to end. It does not mix with an asynchronous write of
 * the same file that is still in progress.
 *
 * @throws what fs throws
 */
export function writeFileNow(path: string, text: Iterable<string>, isPrivate: boolean): void {
  const access = accessOf(path, isPrivate);
  const bytes = codecOfName(path).compressNow(Buffer.from([...text].join('')));
  replaceFileNow(path, bytes, { next: partialOf(path), access });
}
