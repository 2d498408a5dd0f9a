import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { pathWord } from '../../base/shell-pipe.ts';
import { diskFiles } from '../durable-files.ts';
import { isMissing } from './missing.ts';

/** Folders that were created, and can be removed again while they are empty. */
export interface MadeFolders {
  undo(): Promise<void>;
}

/**
 * Creates a folder and its missing parents, durably. Node's `recursive` option loops forever on file systems that
 * cannot create folders, such as /proc.
 *
 * @param mode as of mkdir(2); the umask applies
 * @throws an error of fs; the parents that were created are removed
 */
export async function makeFolders(path: string, mode = 0o777): Promise<MadeFolders> {
  const made: string[] = [];
  const make = async (folder: string, mayAscend: boolean): Promise<void> => {
    try {
      await mkdir(folder, { mode });
      made.push(folder);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException; // what fs throws
      if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
      if (!isMissing(cause) || !mayAscend || dirname(folder) === folder) throw cause;
      await make(dirname(folder), true);
      await make(folder, false);
    }
  };
  const undo = async (): Promise<void> => {
    for (const folder of made.toReversed()) await rmdir(folder).catch(() => {}); // someone else uses it
  };
  try {
    await make(path, true);
    // A file in a folder is only as durable as the name of the folder.
    for (const folder of made) await diskFiles.syncFolder(dirname(folder));
  } catch (error) {
    await undo();
    throw error;
  }
  return { undo };
}

/**
 * Refuses to create a folder where a disk may be missing: its rows would fill the disk below. Below the working
 * directory, all folders may be created, elsewhere only one in a folder that is there and has something in it, or on
 * which a disk is mounted: without that, it is an empty folder.
 *
 * @throws RowcastError `unwritable_output`
 */
export async function refuseUnmounted(folder: string): Promise<void> {
  const path = resolve(folder);
  if (!/^\.\.(?:\/|$)/.test(relative(process.cwd(), path))) return;
  if ((await stat(path).catch(unlessAbsent)) !== undefined) return;
  const parent = dirname(path);
  const names = await readdir(parent).catch(unlessAbsent);
  if (names !== undefined && (names.length > 0 || (await isMounted(parent)))) return;
  throw new RowcastError(
    'unwritable_output',
    `there is no such folder, and the one that it would be in is ${names === undefined ? 'not there' : 'empty'}`,
    {
      location: { file: folder },
      hint: `Check the path, and that its disk is mounted; or create the folder: mkdir -p ${pathWord(folder)}`,
    },
  );
}

/** Whether a folder is on another disk than the one that it is in. */
const isMounted = async (folder: string): Promise<boolean> =>
  (await stat(folder)).dev !== (await stat(dirname(folder))).dev;

/** What cannot be looked at for another reason is reported when the folder is created. */
const unlessAbsent = (cause: NodeJS.ErrnoException): undefined | [string] =>
  cause.code === 'ENOENT' ? undefined : [''];
