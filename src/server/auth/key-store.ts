import { hash, randomBytes } from 'node:crypto';
import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { reportId } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { commandOf } from '../../base/shell-word.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { homeFlag } from '../../models/store/report-version.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { isUnplaced, placeFile } from '../../storage/local/atomic-write.ts';
import {
  makeFolder,
  removeAbandoned,
  unreadableHome,
  unwritableHome,
} from '../../storage/local/home-folder.ts';
import { isMissing, unlessAbsent } from '../../storage/local/missing.ts';
import { readMany, readRegular } from '../../storage/local/read-files.ts';
import {
  defaultScopes,
  keyNameOf,
  keyPath,
  keysFolder,
  type ListedKey,
  readKeyFile,
  type Scope,
  type StoredKeyFile,
} from './key-file.ts';

const KEY_BYTES = 32;

export interface NewKey {
  reports: 'all' | readonly string[];
  scopes?: readonly Scope[];
  expires?: Date | undefined;
}

/** The hash that is stored, and that the key of a request is compared by. */
export const keyHash = (key: string): Buffer => hash('sha256', key, 'buffer');

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
  const path = keyPath(home, name);
  const bad = reports === 'all' ? undefined : reports.find(id => !reportId.safeParse(id).success);
  if (bad !== undefined) {
    throw new RowcastError('bad_report_id', `invalid report id "${sanitize(bad)}"`, {
      hint: 'A report id is 1 to 64 letters, digits, "-" and "_".',
    });
  }
  // The prefix lets secret scanners recognize leaked keys.
  const key = `rowcast_${randomBytes(KEY_BYTES).toString('base64url')}`;
  const created = new Date().toISOString();
  const contents: StoredKeyFile = {
    format: 1,
    sha256: keyHash(key).toString('hex'),
    created,
    reports: reports === 'all' ? reports : [...reports],
    scopes: [...scopes],
    ...(expires !== undefined && { expires: expires.toISOString() }),
  };
  try {
    await makeFolder(keysFolder(home));
    await removeAbandoned(keysFolder(home), isUnplaced);
    await placeFile(path, `${JSON.stringify(contents, null, 2)}\n`, 'create');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritableHome(home, 'keys', cause);
    throw new RowcastError('key_exists', `a key named "${name}" already exists`, {
      location: { file: path },
      hint: `Choose another name, or revoke the existing key: ${commandOf('keys', ['revoke', name, ...homeFlag(home)])}`,
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
  const path = keyPath(home, name);
  try {
    await unlink(path);
    await rm(usePath(home, name), { force: true });
    await diskFiles.syncFolder(keysFolder(home));
  } catch (cause) {
    if (!isMissing(cause)) throw unwritableHome(home, 'keys', cause);
    const near = suggestNames(
      name,
      (await listKeys(home)).map(key => key.name),
    );
    const question = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
    throw new RowcastError('no_such_key', `there is no key named "${name}"`, {
      location: { file: keysFolder(home) },
      hint: `${question}See the existing keys with: ${commandOf('keys', homeFlag(home))}`,
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
    .map(keyNameOf)
    .filter(name => name !== undefined)
    .sort();
  const keys = await readMany(names, name => readKeyFile(home, name));
  return keys.filter(key => key !== undefined);
}

/** Changes whenever a key is added, revoked or edited in place; undefined if there is no keys folder. */
export async function keysVersion(home: string): Promise<string | undefined> {
  const names = await readdir(keysFolder(home)).catch(unlessAbsent);
  const states = names
    ?.filter(file => keyNameOf(file) !== undefined)
    .sort()
    .map(async file => {
      const info = await stat(join(keysFolder(home), file)).catch(() => undefined);
      return `${file} ${info?.ino} ${info?.size} ${info?.mtimeMs} ${info?.ctimeMs}`;
    });
  return states && (await Promise.all(states)).join('\n');
}

/** The precision of a last use: for a key in constant use it is written no more often than this. */
const WRITE_EVERY_MS = 10 * 60_000;

/** A separate file, because the key's own file is never rewritten: a rewrite could bring back a revoked key. */
const usePath = (home: string, name: string): string => join(keysFolder(home), `${name}.used`);

/**
 * Records when keys were last used, one file per key. Requests never wait for it; a read-only directory is fine.
 *
 * @returns call this with the name of each stored key that was accepted
 */
export function keyUse(home: string): (name: string) => void {
  const written = new Map<string, number>();
  return name => {
    const now = Date.now();
    if (now - (written.get(name) ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
    written.set(name, now);
    placeFile(usePath(home, name), `${new Date(now).toISOString()}\n`, 'replace').catch(() => {
      // The last use is informational; failing to record it must not fail a request.
    });
  };
}

/** When a key was last used, to within ten minutes; undefined if no use was recorded since it was created. */
export async function lastUseOf(home: string, name: string, created: string): Promise<string | undefined> {
  const text = String(await readRegular(usePath(home, name)).catch(() => '')).trim();
  // A revoked key may have had the same name.
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && text >= created ? text : undefined;
}
