import type { StoredKey } from '../../server/auth/key-file.ts';
import { lastUseOf, listKeys } from '../../server/auth/key-store.ts';
import { readMany } from '../../storage/local/read-files.ts';

export interface KeyRow {
  name: string;
  /** Undefined if its file is damaged. */
  key: (StoredKey & { lastUsed: string | undefined; isExpired: boolean }) | undefined;
}

/** The keys of a data directory, by name. */
export async function keyRows(home: string): Promise<KeyRow[]> {
  return readMany(await listKeys(home), async ({ name, key }) => {
    if (key === undefined) return { name, key };
    const lastUsed = await lastUseOf(home, name, key.created);
    const isExpired = key.expires !== undefined && Date.parse(key.expires) <= Date.now();
    return { name, key: { ...key, lastUsed, isExpired } };
  });
}
