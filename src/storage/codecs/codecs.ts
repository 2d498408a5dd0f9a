import type { Codec } from './codec.ts';
import { gzip } from './gzip.ts';
import { none } from './none.ts';
import { zstd } from './zstd/zstd.ts';

/** The first that fits is used; `none` fits everything. */
const codecs: readonly Codec[] = [gzip, zstd, none];

/** With this many bytes, `codecOfBytes` can tell. */
export const MAGIC_BYTES = 4;

/** How a file is compressed, according to its first bytes. */
export const codecOfBytes = (first: Buffer): Codec => codecs.find(({ isStart }) => isStart(first)) ?? none;

/** How a file is to be compressed, according to its name. */
export const codecOfName = (name: string): Codec =>
  codecs.find(({ suffix }) => name.toLowerCase().endsWith(suffix)) ?? none;

/** A file's name without the suffix of a compression: `in.csv` for `in.csv.gz`. */
export const nameOfContent = (name: string): string =>
  name.slice(0, name.length - codecOfName(name).suffix.length);

/** The suffixes of compressed files, for messages. */
export const codecSuffixes = codecs.flatMap(({ suffix }) => (suffix === '' ? [] : [suffix]));
