import type { Backend } from './backend.ts';
import { DecodedSource } from './decoded-source.ts';
import { localFiles } from './local/local-files.ts';
import type { Source } from './source.ts';
import { standardStreams } from './standard-streams.ts';
import type { Target } from './target.ts';

const backends: ReadonlyMap<string, Backend> = new Map(
  [localFiles, standardStreams].map(backend => [backend.scheme, backend]),
);

/** `-` stands for stdin or stdout. A name without the scheme of a backend is a path. */
function backendOf(name: string): Backend {
  const scheme = name === '-' ? standardStreams.scheme : /^([a-z][a-z0-9+.-]*):\/\//.exec(name)?.[1];
  return backends.get(scheme ?? localFiles.scheme) ?? localFiles;
}

/**
 * Opens an input: a path, or `-` for stdin. Its compression is detected by its first bytes, not by its name.
 *
 * @param checksum whether `sha256` will be called
 * @throws RowcastError `no_such_file`, `unreadable_input`
 */
export async function openSource(input: string, checksum = false): Promise<Source> {
  return new DecodedSource(await backendOf(input).openInput(input), checksum);
}

/**
 * Finds what the name of an output refers to: a path, or `-` for stdout.
 *
 * @throws RowcastError `unwritable_output`, `bad_compression`
 */
export const resolveTarget = (output: string): Promise<Target> => backendOf(output).resolveTarget(output);
