import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { type UnsupportedFile, unsupportedFiles } from '../../base/unsupported-files.ts';
import { codecOfName, codecSuffixes } from './codecs.ts';
import { none } from './none.ts';

/**
 * Refuses names that promise a compression which cannot be written: the file would contain plain text.
 *
 * @throws RowcastError `unsupported_output`; `no_zstd`
 */
export function refuseUnsupportedCompression(output: string): void {
  const codec = codecOfName(output);
  codec.checkAvailable?.(output);
  if (codec !== none) return;
  const { suffix, compressor } = promisedBy(output);
  if (compressor === undefined) return;
  const own = codecSuffixes.join(' and ');
  const isUrl = schemeOf(output) !== undefined;
  throw unsupported(
    output,
    `cannot write .${suffix} files, only plain and ${own} files`,
    `Use a name that ends in ${codecSuffixes.join(' or ')}${isUrl ? '' : `, or leave out -o and pipe the output: … | ${compressor} > ${output}`}.`,
  );
}

/**
 * Refuses names that promise a format which cannot be written: the file would contain CSV or another format.
 *
 * @param name without the suffix of a compression
 * @param hasFormatOption whether the command has --output-format
 * @throws RowcastError `unsupported_output`
 */
export function refuseUnsupportedFormat(name: string, hasFormatOption: boolean): void {
  const { suffix, is, compressor } = promisedBy(name);
  if (is === undefined || compressor !== undefined) return;
  throw unsupported(
    name,
    `cannot write .${suffix} files: they are ${is}`,
    hasFormatOption
      ? 'Use a name that ends in .csv, .tsv, .jsonl (JSON lines) or .parquet; or say with --output-format which of them this file is.'
      : 'Use a name that ends in .csv, .tsv or .jsonl (JSON lines).',
  );
}

const unsupported = (file: string, message: string, hint: string): RowcastError =>
  new RowcastError('unsupported_output', message, { location: { file }, hint });

/** What the suffix of a name promises. */
function promisedBy(name: string): Partial<UnsupportedFile> & { suffix: string } {
  const suffix = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return { suffix, ...unsupportedFiles.find(({ suffixes }) => suffixes?.includes(suffix)) };
}
