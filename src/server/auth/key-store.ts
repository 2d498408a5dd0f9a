import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { reportId } from '../../contract/schemas.ts';
import { RowcastError } from '../../errors.ts';
import { makeFolder, unreadableHome, unwritableHome } from '../../reports/data-directory.ts';
import { sanitize } from '../../sanitize.ts';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { diskFiles } from '../../storage/local/durable-files.ts';
import { isMissing, unlessAbsent } from '../../storage/local/missing.ts';
import { defaultScopes, type Scope, scopes } from './scopes.ts';

/**
 * The service's API keys: `<home>/keys/NAME.json`, one file per key, so that concurrent commands lose nothing. The key
 * itself is stored nowhere. Its hash is a plain SHA-256: a slow hash only helps against guessing, which is hopeless
 * with 256 random bits, and the key of every request has to be hashed.
 */
const grants = {
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  /** Ids of the reports that it grants access to, whether or not they exist yet. */
  reports: z.union([z.literal('all'), z.array(reportId).min(1)]),
};

/** The format increases whenever an older rowcast would grant a key more than it should. */
const keyFile = z.discriminatedUnion('format', [
  z.object({ format: z.literal(1), ...grants }),
  z.object({
    format: z.literal(2),
    ...grants,
    scopes: z.array(z.enum(scopes)).min(1),
    expires: z.iso.datetime().optional(),
  }),
]);

export interface StoredKey {
  name: string;
  /** In hexadecimal. */
  sha256: string;
  created: string;
  reports: 'all' | readonly string[];
  /** All scopes for a key from before there were any, since it could do everything then. */
  scopes: readonly Scope[];
  hasScopes: boolean;
  /** After this time it is rejected. */
  expires: string | undefined;
}

export interface ListedKey {
  name: string;
  /** Undefined if its file is damaged; then it is rejected. */
  key: StoredKey | undefined;
}

const keyName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const extension = '.json';
const KEY_BYTES = 32;
/** Far more than a key for a thousand reports needs. */
const MAX_FILE_BYTES = 256 * 1024;

export interface NewKey {
  reports: StoredKey['reports'];
  scopes?: readonly Scope[];
  expires?: Date | undefined;
}

export const keysFolder = (home: string): string => join(home, 'keys');

/** The hash that is stored, and that the key of a request is compared by. */
export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/**
 * Creates a key. @returns the key, which cannot be retrieved again
 *
 * @throws RowcastError `bad_key_name`, `bad_report_id`, `key_exists`, `unwritable_home`
 */
export async function addKey(
  home: string,
  name: string,
  { reports, scopes = defaultScopes, expires }: NewKey,
): Promise<string> {
  const path = pathOf(home, name);
  const bad = reports === 'all' ? undefined : reports.find(id => !reportId.safeParse(id).success);
  if (bad !== undefined) {
    throw new RowcastError('bad_report_id', `invalid report id "${sanitize(bad)}"`, {
      hint: 'A report id is 1 to 64 letters, digits, "-" and "_".',
    });
  }
  // The prefix lets secret scanners recognize leaked keys.
  const key = `rowcast_${randomBytes(KEY_BYTES).toString('base64url')}`;
  const created = new Date().toISOString();
  const contents: z.infer<typeof keyFile> = {
    format: 2,
    sha256: hashOf(key).toString('hex'),
    created,
    reports: reports === 'all' ? reports : [...reports],
    scopes: [...scopes],
    ...(expires !== undefined && { expires: expires.toISOString() }),
  };
  try {
    await makeFolder(keysFolder(home));
    await placeFile(path, `${JSON.stringify(contents, null, 2)}\n`, 'create');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritableHome(home, 'keys', cause);
    throw new RowcastError('key_exists', `a key named "${name}" already exists`, {
      location: { file: path },
      hint: `Choose another name, or revoke the existing key: rowcast keys revoke ${name}.`,
    });
  }
  return key;
}

/**
 * Revokes a key.
 *
 * @throws RowcastError `bad_key_name`, `no_such_key`, `unwritable_home`
 */
export async function revokeKey(home: string, name: string): Promise<void> {
  const path = pathOf(home, name);
  try {
    await unlink(path);
    await rm(`${path.slice(0, -extension.length)}.used`, { force: true });
    await diskFiles.syncFolder(keysFolder(home));
  } catch (cause) {
    if (!isMissing(cause)) throw unwritableHome(home, 'keys', cause);
    throw new RowcastError('no_such_key', `there is no key named "${name}"`, {
      location: { file: keysFolder(home) },
      hint: 'rowcast keys lists the existing keys.',
    });
  }
}

/**
 * All stored keys, sorted by name; none if there is no keys folder.
 *
 * @throws RowcastError `unreadable_home`
 */
export async function listKeys(home: string): Promise<ListedKey[]> {
  const files = await readdir(keysFolder(home)).catch((cause: NodeJS.ErrnoException) => {
    if (isMissing(cause)) return [];
    throw unreadableHome(keysFolder(home), 'keys', cause);
  });
  const names = files
    .filter(file => file.endsWith(extension))
    .map(file => file.slice(0, -extension.length))
    .filter(name => keyName.test(name))
    .sort();
  const keys = await Promise.all(names.map(name => readKey(home, name)));
  return keys.filter(key => key !== undefined);
}

/** Undefined if it was revoked meanwhile. */
async function readKey(home: string, name: string): Promise<ListedKey | undefined> {
  const text = await readText(pathOf(home, name)).catch(unlessUnreadable);
  if (text === undefined) return undefined;
  const { data } = keyFile.safeParse(parsed(text));
  if (data === undefined) return { name, key: undefined };
  const { sha256, created, reports } = data;
  const own =
    data.format === 1
      ? { scopes, hasScopes: false, expires: undefined }
      : { scopes: data.scopes, hasScopes: true, expires: data.expires };
  return { name, key: { name, sha256, created, reports, ...own } };
}

/** The text of a regular file; empty for anything else, such as a FIFO, which would block forever. */
async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= MAX_FILE_BYTES ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}

/** Changes whenever a key is added, revoked or edited in place; undefined if there is no keys folder. */
export async function keysVersion(home: string): Promise<string | undefined> {
  const names = await readdir(keysFolder(home)).catch(unlessAbsent);
  const states = names
    ?.filter(file => file.endsWith(extension))
    .sort()
    .map(async file => {
      const info = await stat(join(keysFolder(home), file)).catch(() => undefined);
      return `${file} ${info?.ino} ${info?.size} ${info?.mtimeMs} ${info?.ctimeMs}`;
    });
  return states && (await Promise.all(states)).join('\n');
}

/** A file that cannot be read counts as a damaged key, so that it does not lock out all others. */
function unlessUnreadable(cause: NodeJS.ErrnoException): '' | undefined {
  return /^(EISDIR|EACCES|EPERM|ELOOP|ENXIO)$/.test(cause.code ?? '') ? '' : unlessAbsent(cause);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a valid key
  }
}

/** The file of a key. The name is validated before it becomes part of a path. */
function pathOf(home: string, name: string): string {
  if (keyName.test(name)) return join(keysFolder(home), `${name}${extension}`);
  throw new RowcastError('bad_key_name', `invalid key name "${sanitize(name)}"`, {
    hint: 'A key name is 1 to 64 letters, digits, "-" and "_".',
  });
}
