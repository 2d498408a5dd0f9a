import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { reportId } from '../../contract/schemas.ts';
import { RowcastError } from '../../errors.ts';
import { makeFolder, unreadableHome, unwritableHome } from '../../reports/data-directory.ts';
import { sanitize } from '../../sanitize.ts';
import { placeFile, syncFolder } from '../../storage/local/atomic-write.ts';
import { defaultScopes, type Scope, scopes } from './scopes.ts';

/**
 * The service's keys: `<home>/keys/NAME.json`, one file a key, so that two commands at once lose nothing. A key
 * itself is kept nowhere. Its hash is a plain SHA-256: a slow one would only hold up guessing, and nobody
 * guesses 256 random bits, while every request has to be hashed.
 */
const grants = {
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  /** Ids of the reports that it is good for, whether they are trained yet or not. */
  reports: z.union([z.literal('all'), z.array(reportId).min(1)]),
};

/** The format counts up whenever an older rowcast would let a key do more than it may. */
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
  /** In hexadecimal digits. */
  sha256: string;
  created: string;
  reports: 'all' | readonly string[];
  /** Of a key from before there were scopes: all of them, which is what it could do then. */
  scopes: readonly Scope[];
  hasScopes: boolean;
  /** From then on it opens nothing. */
  expires: string | undefined;
}

export interface ListedKey {
  name: string;
  /** Undefined where its file is damaged; then it opens nothing. */
  key: StoredKey | undefined;
}

const keyName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const extension = '.json';
const KEY_BYTES = 32;
/** Far more than a key for a thousand reports takes. */
const MAX_FILE_BYTES = 256 * 1024;

export interface NewKey {
  reports: StoredKey['reports'];
  scopes?: readonly Scope[];
  expires?: Date | undefined;
}

export const keysFolder = (home: string): string => join(home, 'keys');

/** What is stored of a key, and what a given one is compared by. */
export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/**
 * Makes a key. It is told here and never again.
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
    throw new RowcastError('bad_report_id', `"${sanitize(bad)}" is no report id`, {
      hint: 'A report id is 1 to 64 letters, digits, "-" and "_".',
    });
  }
  // Its beginning is for those who look for keys in the wrong places.
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
    throw new RowcastError('key_exists', `there is a key named "${name}" already`, {
      location: { file: path },
      hint: `Give another name, or take the old one away: rowcast keys revoke ${name}.`,
    });
  }
  return key;
}

/**
 * Takes a key away.
 *
 * @throws RowcastError `bad_key_name`, `no_such_key`, `unwritable_home`
 */
export async function revokeKey(home: string, name: string): Promise<void> {
  const path = pathOf(home, name);
  try {
    await unlink(path);
    await rm(`${path.slice(0, -extension.length)}.used`, { force: true });
    await syncFolder(keysFolder(home));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritableHome(home, 'keys', cause);
    throw new RowcastError('no_such_key', `there is no key named "${name}"`, {
      location: { file: keysFolder(home) },
      hint: 'rowcast keys list says which there are.',
    });
  }
}

/**
 * All keys of a home, by name; none where there is no folder of them.
 *
 * @throws RowcastError `unreadable_home`
 */
export async function listKeys(home: string): Promise<ListedKey[]> {
  const files = await readdir(keysFolder(home)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
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

/** Undefined where it was revoked meanwhile. */
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

/** The text of a file; nothing of what is not one, such as a FIFO, which would be waited for without end. */
async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= MAX_FILE_BYTES ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}

/** Changes whenever a key is added, revoked or edited in place; undefined where there is no folder of keys. */
export async function keysVersion(home: string): Promise<string | undefined> {
  const names = await readdir(keysFolder(home)).catch(unlessMissing);
  const states = names
    ?.filter(file => file.endsWith(extension))
    .sort()
    .map(async file => {
      const info = await stat(join(keysFolder(home), file)).catch(() => undefined);
      return `${file} ${info?.ino} ${info?.size} ${info?.mtimeMs} ${info?.ctimeMs}`;
    });
  return states && (await Promise.all(states)).join('\n');
}

/** A file that is none, or another's, is a damaged key: one of them must not keep all others out. */
function unlessUnreadable(cause: NodeJS.ErrnoException): '' | undefined {
  return /^(EISDIR|EACCES|EPERM|ELOOP|ENXIO)$/.test(cause.code ?? '') ? '' : unlessMissing(cause);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which is no key
  }
}

/** The file of a key; the name is checked before it becomes a path. */
function pathOf(home: string, name: string): string {
  if (keyName.test(name)) return join(keysFolder(home), `${name}${extension}`);
  throw new RowcastError('bad_key_name', `"${sanitize(name)}" is no name for a key`, {
    hint: 'A name is 1 to 64 letters, digits, "-" and "_".',
  });
}

/** Nothing, where there is no such file, or a file in the place of its folder. */
export function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
}
