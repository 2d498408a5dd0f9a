import type { Stats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Consequence, RowcastError } from '../errors.ts';
import { beside } from './local/sibling-path.ts';

/** What an output's name stands for. */
export type Target =
  | { kind: 'stdout' }
  /** A FIFO, a device: it is written directly. */
  | { kind: 'device'; path: string; isFifo: boolean }
  /** A file, there or not, with symbolic links followed. */
  | { kind: 'file'; path: string };

/**
 * Finds out what an output is, `-` for stdout.
 *
 * @throws RowcastError `unwritable_output`, `bad_compression`
 */
export async function resolveTarget(output: string): Promise<Target> {
  if (output === '-') return { kind: 'stdout' };
  const found = await statOf(output);
  if (found?.isDirectory()) throw unwritable(output, new Error('it is a folder'));
  // Under its own name: what /dev/fd/N links to is no path (`pipe:[1234]`).
  if (found !== undefined && !found.isFile()) return { kind: 'device', path: output, isFifo: found.isFIFO() };
  const path = await followLinks(output);
  refuseCompression(output);
  return { kind: 'file', path };
}

/** Suffix of a compressed file that we do not write → the command that does. */
const COMPRESSORS: Readonly<Record<string, string>> = {
  zst: 'zstd',
  xz: 'xz',
  bz2: 'bzip2',
  lz4: 'lz4',
  br: 'brotli',
  zip: 'zip',
};

/** A name that promises another compression than gzip would hold plain text. */
function refuseCompression(output: string): void {
  const suffix = /\.(\w+)$/.exec(output)?.[1]?.toLowerCase() ?? '';
  const command = Object.hasOwn(COMPRESSORS, suffix) ? COMPRESSORS[suffix] : undefined;
  if (command === undefined) return;
  throw new RowcastError('bad_compression', `.${suffix} files cannot be written, only plain and .gz files`, {
    location: { file: output },
    hint: `Give a name that ends in .gz, or leave out -o and pipe the output: … | ${command} > ${output}.`,
  });
}

/** Where the bytes of a file are until they are whole. */
export const partialOf = (path: string): string => beside(path, '.partial');

/** What is there, links followed, or undefined where nothing is. */
async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw unwritable(path, cause);
  });
}

/** The path that a chain of symbolic links ends at, whether or not something is there; `stat` knows no circle. */
export async function followLinks(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined); // no link, or nothing there
  // A link is relative to the folder that it really is in, which `..` leads out of.
  return link === undefined ? path : followLinks(resolve(await realpath(dirname(path)), link));
}

export function unwritable(file: string, cause: Error, consequence: Consequence = 'refused'): RowcastError {
  return new RowcastError('unwritable_output', `the output cannot be written: ${cause.message}`, {
    consequence,
    location: { file },
    cause,
  });
}
