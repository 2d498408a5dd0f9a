import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Most bytes in a file's name (NAME_MAX of Linux; macOS and NTFS allow 255 characters, which are no fewer). */
const MAX_NAME_BYTES = 255;

/**
 * The path of a file that is kept beside another: its name with a suffix. A name that would be too long is cut, and
 * a digest of the whole name is added, so that two long names never share a file: `a-very-long-n~<32 hex digits>.lock`.
 *
 * @param room bytes that the name must leave for a further suffix
 */
export function beside(path: string, suffix: string, room = 0): string {
  const name = basename(path);
  const most = MAX_NAME_BYTES - Buffer.byteLength(suffix) - room;
  if (Buffer.byteLength(name) <= most) return path + suffix;
  const digest = `~${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  return join(dirname(path), cut(name, most - digest.length) + digest + suffix);
}

/** As many whole characters as fit. */
function cut(name: string, bytes: number): string {
  return Buffer.from(name)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '');
}
