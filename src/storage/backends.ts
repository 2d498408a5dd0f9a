import { RowcastError } from '../base/errors.ts';
import { unlessStopped } from '../base/interrupted.ts';
import { checkPublicUrl, schemeOf } from '../base/scheme.ts';
import type { Backend, FileVersion, SharedDocument } from './backend.ts';
import { checkEncoding } from './codecs/transcode.ts';
import { DecodedSource } from './decoded-source.ts';
import { sha256OfStream } from './digests.ts';
import { localFiles } from './local/local-files.ts';
import { type ObjectSettings, objectBackend } from './objects/object-backend.ts';
import type { ObjectStore } from './objects/object-client.ts';
import type { FolderLayout, SharedFolder } from './shared-folder.ts';
import type { Source } from './source.ts';
import { readStoreOptions, type StoreOptions } from './stores/store-options.ts';
import { standardStreams } from './streams.ts';
import type { Target } from './target.ts';

/** By the scheme of names, in lower case: `s3` for `s3://bucket/key`. A name without a scheme is a path. */
export type Backends = ReadonlyMap<string | undefined, Backend>;

export interface StoreSettings extends ObjectSettings {
  options?: StoreOptions | undefined;
  /** URLs that may hold a secret, by the names that are shown instead. */
  secretUrls?: ReadonlyMap<string, string> | undefined;
}

/**
 * All backends, with stores that are reached in a way. A program or a test may pass others, or more. What talks to a
 * store is loaded when the first name needs it.
 */
export function backendsFor({ options = {}, secretUrls, ...settings }: StoreSettings): Backends {
  const store = (open: () => Promise<ObjectStore>): Backend => objectBackend(open, settings);
  const azure = store(async () => (await import('./stores/azure/azure-store.ts')).azureStore(options));
  const https = store(async () => (await import('./stores/https/https-store.ts')).httpsStore(secretUrls));
  return new Map<string | undefined, Backend>([
    [undefined, localFiles()],
    ['s3', store(async () => (await import('./stores/s3/s3-store.ts')).s3Store(options))],
    ['gs', store(async () => (await import('./stores/google/google-store.ts')).googleStore(options))],
    ['az', azure],
    ['abfss', azure],
    ['https', https],
    ['http', https],
  ]);
}

/** Seconds that a store may be unavailable, for a command without --max-outage. */
const DEFAULT_OUTAGE = 60;

/** The options of a command that say how stores are reached. */
export interface StoreValues {
  storeOptions?: Readonly<Record<string, string>> | undefined;
  partBytes?: number | undefined;
  /** In seconds. */
  maxOutage?: number | undefined;
  secretUrls?: StoreSettings['secretUrls'];
}

/**
 * All backends, with stores that are reached as the options of a command say.
 *
 * @param settings what no option says
 * @throws RowcastError `bad_option`
 */
export const backendsOf = (
  { storeOptions, partBytes, maxOutage = DEFAULT_OUTAGE, secretUrls }: StoreValues,
  settings: Pick<StoreSettings, 'onRetry' | 'leaseMs' | 'ending'> = {},
): Backends =>
  backendsFor({ options: readStoreOptions(storeOptions), partBytes, maxOutage, secretUrls, ...settings });

/** What a command uses that says nothing about stores. */
export const backends: Backends = backendsOf({});

const urls = (among: Backends): string =>
  [...among.keys()].flatMap(scheme => (scheme === undefined ? [] : [`${scheme}://`])).join(', ');

/** `-` stands for stdin or stdout. */
function backendOf(name: string, among: Backends): Backend {
  if (name === '-') return standardStreams;
  checkPublicUrl(name);
  const scheme = schemeOf(name)?.toLowerCase();
  const backend = among.get(scheme);
  if (backend !== undefined) return backend;
  throw new RowcastError('usage', `${name}: ${scheme}:// is not supported`, {
    hint: `Give a path, - for stdin or stdout, or a URL that begins with ${urls(among)}.`,
  });
}

/**
 * Opens an input: a path, or `-` for stdin. Its compression is detected by its first bytes, not by its name.
 *
 * @param checksum whether `sha256` will be called
 * @param encoding of the text, if it is not UTF-8
 * @param stop ends waiting for it
 * @throws RowcastError `no_such_file`, `unreadable_input`, `usage`, `bad_option` for an unknown encoding
 * @throws Interrupted
 */
export async function openSource(
  input: string,
  checksum = false,
  encoding?: string,
  among = backends,
  stop?: AbortSignal,
): Promise<Source> {
  // Before the file is opened.
  if (encoding !== undefined) checkEncoding(encoding);
  const opening = backendOf(input, among).openInput(input, stop);
  const stored = await unlessStopped(opening, stop, late => late.stream.destroy());
  return new DecodedSource(stored, checksum, { encoding });
}

/** Opens inputs for something, and closes them afterwards. */
export async function withSources<T>(
  among: Backends | undefined,
  use: (open: (input: string, encoding?: string) => Promise<Source>) => Promise<T>,
): Promise<T> {
  const sources: Source[] = [];
  try {
    return await use(async (input, encoding) => {
      const source = await openSource(input, false, encoding, among);
      sources.push(source);
      return source;
    });
  } finally {
    for (const source of sources) source.close();
  }
}

/** @returns undefined if there is no such file, or nothing is known of it */
export const versionOf = async (
  name: string,
  among = backends,
  stop?: AbortSignal,
): Promise<FileVersion | undefined> => unlessStopped(backendOf(name, among).versionOf(name, stop), stop);

/** Whether a name is a pattern, such as `in/2*.csv`. The name of what exists is never one. */
export const isPattern = async (name: string, among = backends, stop?: AbortSignal): Promise<boolean> =>
  unlessStopped(backendOf(name, among).isPattern(name, stop), stop);

/** The names that a pattern matches, sorted. */
export const namesMatching = async (
  pattern: string,
  among = backends,
  stop?: AbortSignal,
): Promise<string[]> => unlessStopped(backendOf(pattern, among).namesMatching(pattern, stop), stop);

/** SHA-256 in hex of all bytes of a file, as they are stored. */
export async function sha256Of(name: string, among = backends): Promise<string> {
  const { stream } = await backendOf(name, among).openInput(name);
  return sha256OfStream(stream);
}

/** A small file that several processes change. */
export const documentAt = (name: string, among = backends): SharedDocument =>
  backendOf(name, among).document(name);

/** A folder that several machines see. */
export const sharedFolderAt = (path: string, layout: FolderLayout, among = backends): SharedFolder =>
  backendOf(path, among).sharedFolder(path, layout);

/**
 * Finds what the name of an output refers to: a path, or `-` for stdout.
 *
 * @param isPrivate whether only the owner of the file may read it, whatever the umask allows
 * @throws RowcastError `unwritable_output`, `unsupported_output`, `usage`
 */
export const resolveTarget = async (output: string, isPrivate = false, among = backends): Promise<Target> =>
  backendOf(output, among).resolveTarget(output, isPrivate);
