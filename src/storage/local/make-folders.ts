import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskFiles } from '../durable-files.ts';
import { isMissing } from './missing.ts';

/** Folders that were created, and can be removed again while they are empty. */
export interface MadeFolders {
  undo(): Promise<void>;
}

/**
 * Creates a folder and its missing parents, durably. Node's `recursive` option loops forever on file systems that cannot
 * create folders, such as /proc.
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
