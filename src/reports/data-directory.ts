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
    throw unwritableHome(home, 'reports', cause);
  }
}

/** What fs throws when reports or keys are written, as `unwritable_home`. */
export function unwritableHome(home: string, what: 'reports' | 'keys', cause: unknown): RowcastError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = isFile ? 'there is a file in the place of a folder' : message;
  return new RowcastError('unwritable_home', `${what} cannot be written here: ${reason}`, {
    location: { file: home },
    hint: 'Set ROWCAST_HOME to a folder that can be written.',
    cause,
  });
}

/** What fs throws when a folder of reports or keys is read, as `unreadable_home`. */
export function unreadableHome(folder: string, what: 'reports' | 'keys', cause: unknown): RowcastError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = code === 'ENOTDIR' ? 'it, or a folder above it, is a file' : message;
  return new RowcastError('unreadable_home', `the folder of ${what} cannot be read: ${reason}`, {
    location: { file: folder },
    hint: 'Set ROWCAST_HOME to a folder that you can read, or correct its permissions.',
    cause,
  });
}
