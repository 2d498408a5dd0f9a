import { RowcastError } from '../base/errors.ts';
import { schemeOf } from '../base/scheme.ts';
import type { Backend } from './backend.ts';
import { checkEncoding } from './codecs/transcode.ts';
import { DecodedSource } from './decoded-source.ts';
import { localFiles } from './local/local-files.ts';
import type { Source } from './source.ts';
import { standardStreams } from './standard-streams.ts';
import type { Target } from './target.ts';

/** By the scheme of names, in lower case: `s3` for `s3://bucket/key`. A name without a scheme is a path. */
export type Backends = ReadonlyMap<string | undefined, Backend>;

/** All backends. A program or a test may pass others, or more. */
export const backends: Backends = new Map([[undefined, localFiles()]]);

/** `-` stands for stdin or stdout. */
function backendOf(name: string, among: Backends): Backend {
  if (name === '-') return standardStreams;
  const scheme = schemeOf(name)?.toLowerCase();
  const backend = among.get(scheme);
  if (backend !== undefined) return backend;
  throw new RowcastError('usage', `${name}: ${scheme}:// is not supported`, {
    hint: 'Give a path, or - for stdin or stdout.',
  });
}

/**
 * Opens an input: a path, or `-` for stdin. Its compression is detected by its first bytes, not by its name.
 *
 * @param checksum whether `sha256` will be called
 * @param encoding of the text, if it is not UTF-8
 * @throws RowcastError `no_such_file`, `unreadable_input`, `usage`, `bad_option` for an unknown encoding
 */
export async function openSource(
  input: string,
  checksum = false,
  encoding?: string,
  among = backends,
): Promise<Source> {
  // Before the file is opened.
  if (encoding !== undefined) checkEncoding(encoding);
  return new DecodedSource(await backendOf(input, among).openInput(input), checksum, encoding);
}

/**
 * Finds what the name of an output refers to: a path, or `-` for stdout.
 *
 * @param isPrivate whether only the owner of the file may read it, whatever the umask allows
 * @throws RowcastError `unwritable_output`, `bad_compression`, `usage`
 */
export const resolveTarget = async (output: string, isPrivate = false, among = backends): Promise<Target> =>
  backendOf(output, among).resolveTarget(output, isPrivate);
