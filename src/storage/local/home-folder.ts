import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { isDiskFull, isPassing, reasonOf, TRY_AGAIN } from '../../base/system-error.ts';
import { diskFull } from '../target.ts';
import { isUnplaced } from './atomic-write.ts';
import { type MadeFolders, makeFolders } from './make-folders.ts';

/** Creates a folder and its missing parents, accessible by the owner only (0700). */
export const makeFolder = (path: string): Promise<MadeFolders> => makeFolders(path, 0o700);

/**
 * Creates the reports folder and checks that it is writable, before a training rather than after it.
 *
 * @throws RowcastError `unwritable_home`
 */
export async function prepareReports(home: string, reports: string): Promise<MadeFolders> {
  try {
    const made = await makeFolder(reports);
    const trial = join(reports, `.+trial.${randomBytes(6).toString('hex')}`);
    await mkdir(trial, { mode: 0o700 });
    await rmdir(trial);
    return made;
  } catch (cause) {
    throw unwritableHome(home, 'reports', cause);
  }
}

/**
 * Removes the files that killed services were writing: in the home, and in its folders of keys, trainings, data and
 * runs.
 */
export async function removeUnfinished(home: string): Promise<void> {
  const folders = [home, join(home, 'keys'), join(home, 'trainings')];
  for (const parent of ['data', 'runs'].map(name => join(home, name)))
    for (const name of await readdir(parent).catch(() => [])) folders.push(join(parent, name));
  for (const folder of folders)
    await removeAbandoned(folder, name => isUnplaced(name) || /^\.spill-[0-9a-f]{12}$/.test(name));
}

/**
 * Whether everybody on the machine can replace the reports and keys in a folder: its mode lets them write, and is not
 * that of folders such as /tmp (1777), where only owners replace their files.
 */
export async function isWritableByAll(folder: string): Promise<boolean> {
  const mode = await stat(folder).then(
    found => found.mode,
    () => 0,
  ); // there is nothing to replace yet
  return process.platform !== 'win32' && (mode & 0o1002) === 0o002;
}

/** Converts an fs error from writing reports or keys to `unwritable_home` or `disk_full`. */
export function unwritableHome(home: string, what: 'reports' | 'keys', cause: unknown): RowcastError {
  const { code } = cause as NodeJS.ErrnoException;
  const isFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = isFile ? 'a file exists where a folder is needed' : reasonOf(cause);
  const message = `cannot write ${what}: ${reason}`;
  if (isDiskFull(cause)) return diskFull(message, home, cause);
  return new RowcastError('unwritable_home', message, {
    severity: isPassing(cause) ? 'temporary' : 'refused',
    location: { file: home },
    hint: isPassing(cause) ? TRY_AGAIN : 'Set ROWCAST_HOME to a writable folder.',
    cause,
  });
}

type HomeFolder = 'reports' | 'keys' | 'data' | 'runs' | 'trainings';

/** Converts an fs error from reading reports or keys to `unreadable_home`. */
export function unreadableHome(folder: string, what: HomeFolder, cause: unknown): RowcastError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code === 'ENOTDIR' ? 'it or one of its parent folders is a file' : reasonOf(cause);
  return new RowcastError('unreadable_home', `cannot read the ${what} folder: ${reason}`, {
    severity: isPassing(cause) ? 'temporary' : 'refused',
    location: { file: folder },
    hint: isPassing(cause) ? TRY_AGAIN : 'Set ROWCAST_HOME to a readable folder, or fix its permissions.',
    cause,
  });
}

/** For `catch`, of what opens a folder: an error of the file system becomes `unreadable_home`. */
export const toUnreadableHome =
  (folder: string, what: HomeFolder) =>
  (cause: unknown): never => {
    throw cause instanceof RowcastError ? cause : unreadableHome(folder, what, cause);
  };

/** Writing takes seconds: what is older than this was left by a process that was killed. */
const ABANDONED_MS = 10 * 60_000;

/**
 * Removes what killed processes have left in a folder. Nobody needs it, so a folder that cannot be read or changed is
 * no failure.
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
