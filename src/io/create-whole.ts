import { link, open, rename, unlink, writeFile } from 'node:fs/promises';

/** What file systems without hard links fail with: FAT with EPERM, FUSE and network ones with the others. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/**
 * Creates a file with its whole content, only where there is none: of two processes that try at once, one succeeds.
 * Where hard links are refused, the name is reserved by an empty file for a moment.
 *
 * @param written a path in the same folder that nobody else uses; if another process removes that file before it got
 *   its name, it is written again
 * @returns false where the file exists already
 */
export async function createWhole(path: string, text: string, written: string): Promise<boolean> {
  await writeFile(written, text, { mode: 0o600, flag: 'wx' });
  try {
    await nameUnlessTaken(written, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    if (codeOf(cause) === 'ENOENT') return await createWhole(path, text, written);
    throw cause;
  } finally {
    await unlink(written).catch(() => {}); // renamed, or removed by another process
  }
}

async function nameUnlessTaken(written: string, path: string): Promise<void> {
  try {
    await link(written, path);
  } catch (cause) {
    if (!NO_LINKS.includes(codeOf(cause))) throw cause;
    await (await open(path, 'wx', 0o600)).close();
    try {
      await rename(written, path);
    } catch (failure) {
      await unlink(path);
      throw failure;
    }
  }
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? ''; // what fs throws
