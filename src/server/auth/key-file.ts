import { join } from 'node:path';
import * as z from 'zod';
import { reportId } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { jsonValue } from '../../base/json-value.ts';
import { sanitize } from '../../base/sanitize.ts';
import { unlessAbsent } from '../../storage/local/missing.ts';
import { readRegular } from '../../storage/local/read-files.ts';

/** What a key can grant access to: groups of endpoints, and the web platform. */
export const scopes = ['predict', 'report', 'testing-results', 'platform'] as const;
export type Scope = (typeof scopes)[number];

/** The scopes of a new key. Testing results contain labelled rows, so their scope must be requested. */
export const defaultScopes: readonly Scope[] = ['predict', 'report'];

/**
 * The service's API keys: `<home>/keys/NAME.json`, one file per key, so that concurrent commands lose nothing. The key
 * itself is stored nowhere. Its hash is a plain SHA-256: a slow hash only helps against guessing, which is hopeless
 * with 256 random bits, and the key of every request has to be hashed.
 */
const keyFile = z.object({
  /** The format is incremented when a version would grant a key of the next version more than it should. */
  format: z.literal(1),
  /** In hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  /** Ids of the reports that it grants access to, whether or not they exist yet. */
  reports: z.union([z.literal('all'), z.array(reportId).min(1)]),
  scopes: z.array(z.enum(scopes)).min(1),
  /** After this time it is rejected. */
  expires: z.iso.datetime().optional(),
});

export type StoredKeyFile = z.infer<typeof keyFile>;

export type StoredKey = Omit<StoredKeyFile, 'format'> & { name: string };

export interface ListedKey {
  name: string;
  /** Undefined if its file is damaged; then it is rejected. */
  key: StoredKey | undefined;
}

const keyName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const extension = '.json';
/** Far more than a key for a thousand reports needs. */
const MAX_FILE_BYTES = 256 * 1024;

export const keysFolder = (home: string): string => join(home, 'keys');

/** The file of a key. The name is validated before it becomes part of a path. */
export function keyPath(home: string, name: string): string {
  if (keyName.test(name)) return join(keysFolder(home), `${name}${extension}`);
  throw new RowcastError('bad_key_name', `invalid key name "${sanitize(name)}"`, {
    hint: 'A key name is 1 to 64 letters, digits, "-" and "_".',
  });
}

/** The name of the key in such a file; undefined for other files. */
export function keyNameOf(file: string): string | undefined {
  const name = file.slice(0, -extension.length);
  return file.endsWith(extension) && keyName.test(name) ? name : undefined;
}

/** Reads a key's file. @returns undefined if it was revoked meanwhile */
export async function readKeyFile(home: string, name: string): Promise<ListedKey | undefined> {
  const text = await readRegular(keyPath(home, name), MAX_FILE_BYTES).catch(unlessUnreadable);
  if (text === undefined) return undefined;
  const { data } = keyFile.safeParse(jsonValue(String(text)));
  if (data === undefined) return { name, key: undefined };
  const { format: _, ...key } = data;
  return { name, key: { name, ...key } };
}

/** A file that cannot be read counts as a damaged key, so that it does not lock out all others. */
function unlessUnreadable(cause: NodeJS.ErrnoException): '' | undefined {
  return /^(EISDIR|EACCES|EPERM|ELOOP|ENXIO)$/.test(cause.code ?? '') ? '' : unlessAbsent(cause);
}
