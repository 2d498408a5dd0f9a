import type { Stats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RowcastError, type Severity } from '../errors.ts';
import { isMissing } from './local/missing.ts';
import { beside } from './local/sibling-path.ts';

/** The kind of file that an output names. */
export type Target =
  | { kind: 'stdout' }
  /** A FIFO or a device, which is written directly. */
  | { kind: 'device'; path: string; isFifo: boolean }
  /** A regular file, which need not exist yet; symbolic links are followed. */
  | { kind: 'file'; path: string };

/**
 * Resolves the name of an output; `-` is stdout.
 *
 * @throws RowcastError `unwritable_output`, `bad_compression`
 */
export async function resolveTarget(output: string): Promise<Target> {
  if (output === '-') return { kind: 'stdout' };
  const found = await statOf(output);
  if (found?.isDirectory()) throw unwritable(output, new Error('it is a folder'));
  // Not followed: the link target of /dev/fd/N is not a path (`pipe:[1234]`).
  if (found !== undefined && !found.isFile()) return { kind: 'device', path: output, isFifo: found.isFIFO() };
  const path = await followLinks(output);
  refuseCompression(output);
  return { kind: 'file', path };
}

/** Suffixes of compressed files that we cannot write → the command that can. */
const COMPRESSORS: Readonly<Record<string, string>> = {
  zst: 'zstd',
  xz: 'xz',
  bz2: 'bzip2',
  lz4: 'lz4',
  br: 'brotli',
  zip: 'zip',
};

/** Rejects names that promise another compression than gzip: the file would contain plain text. */
function refuseCompression(output: string): void {
  const suffix = /\.(\w+)$/.exec(output)?.[1]?.toLowerCase() ?? '';
  const command = Object.hasOwn(COMPRESSORS, suffix) ? COMPRESSORS[suffix] : undefined;
  if (command === undefined) return;
  throw new RowcastError('bad_compression', `cannot write .${suffix} files, only plain and .gz files`, {
    location: { file: output },
    hint: `Use a name that ends in .gz, or leave out -o and pipe the output: … | ${command} > ${output}.`,
  });
}

/** Path of the unfinished file. */
export const partialOf = (path: string): string => beside(path, '.partial');

/** `stat` of a path with links followed; undefined if nothing exists there. */
async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (isMissing(cause)) return undefined;
    throw unwritable(path, cause);
  });
}

/** The end of a chain of symbolic links, whether or not it exists. A prior `stat` has ruled out cycles. */
export async function followLinks(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined); // not a link, or nothing there
  // A link is relative to its real folder, which matters for `..`.
  return link === undefined ? path : followLinks(resolve(await realpath(dirname(path)), link));
}

export function unwritable(file: string, cause: Error, severity: Severity = 'refused'): RowcastError {
  return new RowcastError('unwritable_output', `cannot write the output: ${cause.message}`, {
    severity,
    location: { file },
    cause,
  });
}
