import { randomBytes } from 'node:crypto';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RowcastError } from '../errors.ts';

/** Folders that were made, and can be taken back while they are empty. */
export interface MadeFolders {
  undo(): Promise<void>;
}

/**
 * Makes a folder where there is none, and those above it, for the owner alone (0700). Node's own `recursive`
 * tries for ever where a file system makes no folders, as /proc.
 */
export async function makeFolder(path: string): Promise<MadeFolders> {
  const made: string[] = [];
  const make = async (folder: string, mayAscend: boolean): Promise<void> => {
    try {
      await mkdir(folder, { mode: 0o700 });
      made.push(folder);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException; // what fs throws
      if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
      if (code !== 'ENOENT' || !mayAscend || dirname(folder) === folder) throw cause;
      await make(dirname(folder), true);
      await make(folder, false);
    }
  };
  await make(path, true);
  return {
    async undo() {
      for (const folder of made.toReversed()) await rmdir(folder).catch(() => {}); // someone else uses it
    },
  };
}

/**
 * Makes the folder of reports, and sees that a folder can be made in it: before a training, not after it.
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
    throw unwritableHome(home, cause);
  }
}

/** What fs throws about the folder of reports, told with what to do. */
export function unwritableHome(home: string, cause: unknown): RowcastError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = isFile ? 'there is a file in the place of a folder' : message;
  return new RowcastError('unwritable_home', `reports cannot be written here: ${reason}`, {
    place: { file: home },
    hint: 'Set ROWCAST_HOME to a folder that can be written.',
    cause,
  });
}
