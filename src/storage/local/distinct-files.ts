import { fstatSync, type Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { RowcastError } from '../../errors.ts';
import { unwritable } from '../target.ts';

/** A file that a command uses, or may use before it ends. */
export interface UsedFile {
  /** A path, or the descriptor of an open file. */
  at: string | number;
  /** What it is, for messages: `the rejects file`. */
  what: string;
  /** The option to change if it is in the way. */
  option: string;
  /** Whether its name is another's with a suffix. */
  isDerived?: boolean;
  /** Whether files whose names begin with this one and a dot are used too, as by a lock. */
  isFamily?: boolean;
  /** Whether it is a folder, and all that is in it is used. */
  isFolder?: boolean;
}

/**
 * Checks, before anything is opened for writing, that no file that a command writes is one that it reads, or one that
 * it writes for another purpose: by inode where a file exists, and by name. Links are followed. Pipes and devices are
 * not compared: they lose nothing by being opened twice.
 *
 * @throws RowcastError `output_is_input`, `same_output`; `unwritable_output` where a folder does not exist
 */
export async function checkApart(reads: readonly UsedFile[], writes: readonly UsedFile[]): Promise<void> {
  const read = await Promise.all(reads.map(identify));
  const written = await Promise.all(writes.map(identify));
  for (const [index, own] of written.entries()) {
    const { file } = own;
    if (own.folder === undefined && typeof file.at === 'string')
      throw unwritable(file.at, new Error(`there is no folder ${dirname(file.at)}`));
    for (const other of [...read, ...written.slice(0, index)]) {
      if (!isSame(own, other)) continue;
      const isRead = reads.includes(other.file);
      throw new RowcastError(
        isRead ? 'output_is_input' : 'same_output',
        other.file.isFolder
          ? `${file.what} would be ${other.file.what}`
          : `${file.what} and ${other.file.what} are the same file`,
        {
          location: { file: typeof file.at === 'string' ? file.at : file.what },
          hint: `Give another ${file.option === '' ? other.file.option : file.option}.`,
        },
      );
    }
  }
}

interface Identified {
  file: UsedFile;
  /** Device and inode of the file, undefined where there is none or it is no plain file. */
  inode: string | undefined;
  /** Whether anything has the name. */
  exists: boolean;
  /** Device and inode of the folder, undefined where there is none. */
  folder: string | undefined;
  name: string;
  /** The folder's path, or that of a used folder itself, links followed; undefined where there is none. */
  within: string | undefined;
}

async function identify(file: UsedFile): Promise<Identified> {
  const { at } = file;
  if (typeof at === 'number')
    return {
      file,
      inode: inodeOf(fstatSync(at)),
      exists: true,
      folder: undefined,
      name: '',
      within: undefined,
    };
  const found = await stat(at).catch(() => undefined);
  const folder = await stat(dirname(at)).catch(() => undefined);
  return {
    file,
    inode: inodeOf(found),
    exists: found !== undefined,
    folder: folder?.isDirectory() ? `${folder.dev}:${folder.ino}` : undefined,
    name: basename(at),
    within: await realpath(file.isFolder ? at : dirname(at)).catch(() => undefined),
  };
}

const inodeOf = (found: Stats | undefined): string | undefined =>
  found?.isFile() ? `${found.dev}:${found.ino}` : undefined;

function isSame(a: Identified, b: Identified): boolean {
  if (a.inode !== undefined && a.inode === b.inode) return true;
  if (a.within !== undefined && b.file.isFolder) return `${a.within}/`.startsWith(`${b.within}/`);
  if (a.folder === undefined || a.folder !== b.folder) return false;
  if (a.name === b.name || isOfFamily(a, b) || isOfFamily(b, a)) return true;
  // Some file systems ignore case and Unicode form. Where one of the two exists, its inode tells; where both names are
  // derived, those that they are derived from do.
  const isOpen = !a.exists && !b.exists && !(a.file.isDerived && b.file.isDerived);
  return isOpen && folded(a.name) === folded(b.name);
}

const isOfFamily = ({ file, name }: Identified, other: Identified): boolean =>
  file.isFamily === true && other.name.startsWith(`${name}.`);

const folded = (name: string): string => name.normalize('NFC').toLowerCase();
