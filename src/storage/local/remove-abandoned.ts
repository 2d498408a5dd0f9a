import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Writing takes seconds: what is older than this was left by a process that was killed. */
const ABANDONED_MS = 10 * 60_000;

/**
 * Removes what killed processes have left in a folder. Nobody needs it, so a folder that cannot be read or changed is no
 * failure.
 *
 * @param isLeft whether a name is that of something unfinished
 */
export async function removeAbandoned(
  folder: string,
  isLeft: (name: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!(await isLeft(name))) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
