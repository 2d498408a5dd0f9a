import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { reportId } from '../api/shapes.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { placeFile, syncFolder } from './durable.ts';
import { makeFolder, unwritableHome } from './home.ts';

/**
 * The service's keys: `<home>/keys/NAME.json`, one file a key, so that two commands at once lose nothing. A key
 * itself is kept nowhere. Its hash is a plain SHA-256: a slow one would only hold up guessing, and nobody
 * guesses 256 random bits, while every request has to be hashed.
 */
const keyFile = z.object({
  /** Counts up whenever an older file can no longer be read. */
  format: z.literal(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  /** Ids of the reports that it is good for, whether they are trained yet or not. */
  reports: z.union([z.literal('all'), z.array(reportId).min(1)]),
});

export interface StoredKey extends z.infer<typeof keyFile> {
  name: string;
}

export interface ListedKey {
  name: string;
  /** Undefined where its file is damaged; then it opens nothing. */
  key: StoredKey | undefined;
}

const keyName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const extension = '.json';
const KEY_BYTES = 32;

export const keysFolder = (home: string): string => join(home, 'keys');

/** What is stored of a key, and what a given one is compared by. */
export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/**
 * Makes a key. It is told here and never again.
 *
 * @throws RowcastError `bad_key_name`, `bad_report_id`, `key_exists`, `unwritable_home`
 */
export async function addKey(home: string, name: string, reports: StoredKey['reports']): Promise<string> {
  const path = pathOf(home, name);
  const bad = reports === 'all' ? undefined : reports.find(id => !reportId.safeParse(id).success);
  if (bad !== undefined) {
    throw new RowcastError('bad_report_id', `"${shown(bad)}" is no report id`, {
      hint: 'A report id is 1 to 64 letters, digits, "-" and "_".',
    });
  }
  // Its beginning is for those who look for keys in the wrong places.
  const key = `rowcast_${randomBytes(KEY_BYTES).toString('base64url')}`;
  const created = new Date().toISOString();
  const contents: z.infer<typeof keyFile> = {
    format: 1,
    sha256: hashOf(key).toString('hex'),
    created,
    reports,
  };
  try {
    await makeFolder(keysFolder(home));
    await placeFile(path, `${JSON.stringify(contents, null, 2)}\n`, 'create');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritableHome(home, cause);
    throw new RowcastError('key_exists', `there is a key named "${name}" already`, {
      place: { file: path },
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
    await syncFolder(keysFolder(home));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritableHome(home, cause);
    throw new RowcastError('no_such_key', `there is no key named "${name}"`, {
      place: { file: keysFolder(home) },
      hint: 'rowcast keys list says which there are.',
    });
  }
}

/** All keys of a home, by name; none where there is no folder of them. */
export async function listKeys(home: string): Promise<ListedKey[]> {
  const names = ((await readdir(keysFolder(home)).catch(unlessMissing)) ?? [])
    .filter(file => file.endsWith(extension))
    .map(file => file.slice(0, -extension.length))
    .filter(name => keyName.test(name))
    .sort();
  const keys = await Promise.all(names.map(name => readKey(home, name)));
  return keys.filter(key => key !== undefined);
}

/** Undefined where it was revoked meanwhile. */
async function readKey(home: string, name: string): Promise<ListedKey | undefined> {
  const text = await readFile(pathOf(home, name), 'utf8').catch(unlessUnreadable);
  if (text === undefined) return undefined;
  const { data } = keyFile.safeParse(parsed(text));
  return { name, key: data && { name, ...data } };
}

/** A file that is none, or another's, is a damaged key: one of them must not keep all others out. */
function unlessUnreadable(cause: NodeJS.ErrnoException): '' | undefined {
  return /^(EISDIR|EACCES|EPERM|ELOOP)$/.test(cause.code ?? '') ? '' : unlessMissing(cause);
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
  throw new RowcastError('bad_key_name', `"${shown(name)}" is no name for a key`, {
    hint: 'A name is 1 to 64 letters, digits, "-" and "_".',
  });
}

/** Nothing, where there is no such file, or a file in the place of its folder. */
export function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
}
