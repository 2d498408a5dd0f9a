import { fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import type { UsedFile } from '../target.ts';
import { realFolderOf } from './sibling-path.ts';

/**
 * Checks, before anything is opened for writing, that every file a command writes is distinct from the files it reads
 * and from its other outputs. Existing files are compared by inode, others by name; links are followed. Pipes and
 * devices are not compared: opening them twice does no harm.
 *
 * @throws RowcastError `output_is_input`, `same_output`
 */
export async function checkApart(reads: readonly UsedFile[], writes: readonly UsedFile[]): Promise<void> {
  const read = await Promise.all(reads.map(identify));
  const written = await Promise.all(writes.map(identify));
  for (const [index, own] of written.entries()) {
    const { file } = own;
    for (const other of [...read, ...written.slice(0, index)]) {
      if (!isSame(own, other)) continue;
      const isRead = reads.includes(other.file);
      throw new RowcastError(
        isRead ? 'output_is_input' : 'same_output',
        other.file.isFolder
          ? `${file.what} would overwrite ${other.file.what}`
          : `${file.what} and ${other.file.what} are the same file`,
        {
          location: { file: typeof file.at === 'string' ? file.at : file.what },
          hint:
            file.option === ''
              ? `Messages would be among the rows: give ${other.file.option} another path, or send messages elsewhere, such as 2> messages.txt.`
              : `Give ${file.option} another path.`,
        },
      );
    }
  }
}

interface Identified {
  file: UsedFile;
  /** Device and inode of the file; undefined if it does not exist or is not a regular file. */
  inode: string | undefined;
  /** Whether anything exists under this name. */
  exists: boolean;
  /** Device and inode of its folder, or its place if it does not exist yet; undefined if the file has no path. */
  folder: string | undefined;
  name: string;
  /** Real path of its folder, or of the used folder itself, whether or not it exists. */
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
  const place = await realFolderOf(dirname(at));
  return {
    file,
    inode: inodeOf(found),
    exists: found !== undefined,
    folder: folder?.isDirectory() ? `${folder.dev}:${folder.ino}` : folded(place),
    name: basename(at),
    within: file.isFolder ? await realFolderOf(at) : place,
  };
}

const inodeOf = (found: Stats | undefined): string | undefined =>
  found?.isFile() ? `${found.dev}:${found.ino}` : undefined;

function isSame(a: Identified, b: Identified): boolean {
  if (a.inode !== undefined && a.inode === b.inode) return true;
  if (a.within !== undefined && b.file.isFolder) return `${a.within}/`.startsWith(`${b.within}/`);
  if (a.folder === undefined || a.folder !== b.folder) return false;
  if (a.name === b.name || isOfFamily(a, b) || isOfFamily(b, a)) return true;
  // Some file systems ignore case and Unicode normalization. If one of the files exists, inodes decide; if both names
  // are derived, their base names decide.
  const isOpen = !a.exists && !b.exists && !(a.file.isDerived && b.file.isDerived);
  return isOpen && folded(a.name) === folded(b.name);
}

const isOfFamily = ({ file, name }: Identified, other: Identified): boolean =>
  file.isFamily === true && other.name.startsWith(`${name}.`);

const folded = (name: string): string => name.normalize('NFC').toLowerCase();
