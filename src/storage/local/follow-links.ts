import { readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The end of a chain of symbolic links, whether or not it exists. A prior `stat` has ruled out cycles. */
export async function followLinks(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined); // not a link, or nothing there
  // A link is relative to its real folder, which matters for `..`.
  return link === undefined ? path : followLinks(resolve(await realpath(dirname(path)), link));
}
