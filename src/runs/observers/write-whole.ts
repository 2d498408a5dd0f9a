import { codecOfName } from '../../storage/codecs/codecs.ts';
import { accessOf } from '../../storage/local/access.ts';
import { replaceFileNow } from '../../storage/local/atomic-write.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import type { Target } from '../../storage/target.ts';

/**
 * Writes a small file atomically; a pipe or device is written directly.
 *
 * @param stop aborts waiting for a reader of a FIFO
 * @throws RowcastError `unwritable_output`
 */
export async function writeWhole(target: Target, text: string, stop: AbortSignal): Promise<void> {
  const sink = await target.open(stop);
  try {
    await sink.write(Buffer.from(text));
    await sink.close();
  } catch (error) {
    // A partial file that a full disk cut off would be in the way of nobody, and of no use to anybody.
    await sink.abandon().catch(() => {}); // the first error is reported
    throw error;
  }
}

/**
 * Writes a small file synchronously, for a process that is about to end. It does not mix with an asynchronous write of
 * the same file that is still in progress.
 *
 * @throws what fs throws
 */
export function writeFileNow(path: string, text: string, isPrivate: boolean): void {
  const access = accessOf(path, isPrivate);
  const bytes = codecOfName(path).compressNow(Buffer.from(text));
  replaceFileNow(path, bytes, { next: partialOf(path), access });
}
