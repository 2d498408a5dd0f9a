import { link, open, rename, unlink, writeFile } from 'node:fs/promises';

/** Errors of file systems without hard links: FAT reports EPERM, FUSE and network file systems the others. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/**
 * Gives a written file a name unless it is taken. If two processes try at the same time, one succeeds. On file systems
 * without hard links, an empty file reserves the name for a moment.
 *
 * @param written in the same folder; it may still be there under this name afterwards
 * @throws NodeJS.ErrnoException `EEXIST` if the name is taken
 */
export async function createUnlessTaken(written: string, path: string): Promise<void> {
  try {
    await link(written, path);
  } catch (cause) {
    if (!NO_LINKS.includes(codeOf(cause))) throw cause;
    await (await open(path, 'wx')).close();
    try {
      await rename(written, path);
    } catch (failure) {
      await unlink(path);
      throw failure;
    }
  }
}

/**
 * Creates a file that only its owner can read, with its content, unless it exists. It is not synced: it is only needed while
 * this process runs.
 *
 * @param written an unused path in the same folder; if another process removes that file too early, it is written again
 * @returns false if the file already exists
 */
export async function createWhole(path: string, text: string, written: string): Promise<boolean> {
  await writeFile(written, text, { flag: 'wx', mode: 0o600 });
  try {
    await createUnlessTaken(written, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    if (codeOf(cause) === 'ENOENT') return await createWhole(path, text, written);
    throw cause;
  } finally {
    await unlink(written).catch(() => {}); // renamed, or removed by another process
  }
}

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? ''; // errors of fs
