import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { codecOfName, codecSuffixes } from './codecs.ts';
import { none } from './none.ts';

/** Suffixes of compressed files that we cannot write → the command that can. */
const COMPRESSORS: Readonly<Record<string, string>> = {
  xz: 'xz',
  bz2: 'bzip2',
  lz4: 'lz4',
  br: 'brotli',
  zip: 'zip',
};

/**
 * Refuses names that promise a compression which we cannot write: the file would contain plain text.
 *
 * @throws RowcastError `bad_compression`; `no_zstd`
 */
export function refuseOtherCompressions(output: string): void {
  const codec = codecOfName(output);
  codec.checkAvailable?.(output);
  if (codec !== none) return;
  const suffix = /\.(\w+)$/.exec(output)?.[1]?.toLowerCase() ?? '';
  const command = Object.hasOwn(COMPRESSORS, suffix) ? COMPRESSORS[suffix] : undefined;
  if (command === undefined) return;
  const own = codecSuffixes.join(' and ');
  const isUrl = schemeOf(output) !== undefined;
  throw new RowcastError('bad_compression', `cannot write .${suffix} files, only plain and ${own} files`, {
    location: { file: output },
    hint: `Use a name that ends in ${codecSuffixes.join(' or ')}${isUrl ? '' : `, or leave out -o and pipe the output: … | ${command} > ${output}`}.`,
  });
}
