import { createHash } from 'node:crypto';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Maximum length of a file name in bytes (NAME_MAX on Linux; macOS and NTFS allow 255 characters, which is never less).
 */
const MAX_NAME_BYTES = 255;

/**
 * The path of a file next to another one: the same name with a suffix. If the name would be too long, it is truncated
 * and a digest of the full name is added, so that two long names never collide: `a-very-long-n~<32 hex digits>.lock`.
 *
 * @param room bytes to leave for a further suffix
 */
export function siblingPath(path: string, suffix: string, room = 0): string {
  const name = basename(path);
  const max = MAX_NAME_BYTES - Buffer.byteLength(suffix) - room;
  if (Buffer.byteLength(name) <= max) return path + suffix;
  const digest = `~${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  return join(dirname(path), truncate(name, max - digest.length) + digest + suffix);
}

/** Path of the unfinished file. */
export const partialOf = (path: string): string => siblingPath(path, '.partial');

/** Keeps as many whole characters as fit. */
function truncate(name: string, bytes: number): string {
  return Buffer.from(name)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '');
}

/** The end of a chain of symbolic links, whether or not it exists. A prior `stat` has ruled out cycles. */
export async function followLinks(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined); // not a link, or nothing there
  // A link is relative to its real folder, which matters for `..`.
  return link === undefined ? path : followLinks(resolve(await realpath(dirname(path)), link));
}

/** The real path of a folder that perhaps does not exist yet. */
export async function realFolderOf(folder: string): Promise<string> {
  const found = await realpath(folder).catch(() => undefined);
  if (found !== undefined) return found;
  const path = resolve(folder);
  const parent = dirname(path);
  return parent === path ? path : join(await realFolderOf(parent), basename(path));
}
