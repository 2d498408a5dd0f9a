import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { compressedWriter } from '../codecs/compressed-writer.ts';
import { diskFiles, type Files } from '../durable-files.ts';
import type { Extent } from '../partial-file.ts';
import type { Sink } from '../sink.ts';
import { readTail } from '../tail-digest.ts';
import { type Target, unwritable } from '../target.ts';
import { accessOf } from './access.ts';
import { LocalOutput } from './local-output.ts';
import { lockOf } from './locks/lock-file.ts';
import { partialOf } from './sibling-path.ts';

/** A target that is a regular file. */
export interface FileTarget extends Target {
  readonly path: string;
  readonly durable: LocalOutput;
  readonly isPrivate: boolean;
}

/**
 * A regular file: it appears complete or not at all, durably, and compressed if its name says so.
 *
 * @param name as given, for messages
 * @param path with links followed
 * @param isPrivate whether only its owner may read it, whatever the umask allows
 * @param files writes a durable output
 */
export const fileTarget = (name: string, path: string, isPrivate = false, files?: Files): FileTarget => ({
  name,
  path,
  durable: new LocalOutput(path, { name, isPrivate, ...(files && { files }) }),
  isPrivate,
  isStdout: false,
  usedFiles: (what, option) => [
    { at: path, what, option },
    { at: partialOf(path), what: `the partial file of ${what}`, option, isDerived: true },
    { at: lockOf(path), what: `the lock of ${what}`, option, isDerived: true, isFamily: true },
  ],
  open: () =>
    openFile(name, path, isPrivate).catch(cause => {
      throw unwritable(name, cause);
    }),
});

async function openFile(name: string, path: string, isPrivate: boolean): Promise<Sink> {
  const partial = partialOf(path);
  const file = await diskFiles.open(partial, accessOf(path, isPrivate));
  await file.truncate(0);
  const writer = compressedWriter(path, file);
  const stopped = (cause: Error): never => {
    throw cause instanceof RowcastError ? cause : unwritable(name, cause, 'stopped');
  };
  return {
    write: bytes => writer.write(bytes).catch(stopped),
    async close() {
      const written = await writer.finish().catch(stopped);
      await checkWhole(partial, written);
      await writer.close().catch(stopped);
      await diskFiles.rename(partial, path).catch(stopped);
      await diskFiles.syncFolder(dirname(path)).catch(stopped);
    },
    async abandon() {
      // The failure that led here is reported already.
      await writer.close().catch(() => {});
      await diskFiles.remove(partial).catch(() => {});
    },
  };
}

/**
 * Checks that no other program has modified a file while it was written.
 *
 * @throws RowcastError `output_lost`
 */
async function checkWhole(path: string, { bytes, tail }: Extent<true>): Promise<void> {
  const size = await diskFiles.size(path);
  const found = size === bytes ? await readTail(diskFiles, path, bytes) : undefined;
  if (found?.digest() === tail.digest()) return;
  throw new RowcastError('output_lost', 'another program moved or modified the file while it was written', {
    severity: 'stopped',
    location: { file: path },
    hint: 'Make sure that nothing else writes to it, then run the same command again.',
  });
}
