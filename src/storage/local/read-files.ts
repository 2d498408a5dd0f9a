import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import pLimit from 'p-limit';

/**
 * Opens a file for reading; undefined if it is no regular file. To open a FIFO would wait for its writer, and block a
 * thread of the pool until then.
 *
 * @throws NodeJS.ErrnoException
 */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const isFile = (await file.stat()).isFile();
  if (isFile) return file;
  await file.close();
  return undefined;
}

/**
 * The bytes of a file; none for a folder, a FIFO or a device, so that whoever reads it finds it damaged.
 *
 * @param maxBytes none if there are more
 * @throws NodeJS.ErrnoException
 */
export async function readRegular(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const file = await openRegular(path);
  if (file === undefined) return Buffer.alloc(0);
  try {
    return (await file.stat()).size > maxBytes ? Buffer.alloc(0) : await file.readFile();
  } finally {
    await file.close();
  }
}

/** A process may have no more than 1,024 descriptors, and others need some too. */
const AT_ONCE = 16;

/** Reads something from each of many files, a few at a time. */
export const readMany = <T, R>(files: readonly T[], read: (file: T) => Promise<R>): Promise<R[]> =>
  pLimit(AT_ONCE).map(files, file => read(file));
