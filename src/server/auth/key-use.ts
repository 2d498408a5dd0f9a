import { join } from 'node:path';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { readRegular } from '../../storage/local/read-regular.ts';
import { keysFolder } from './key-file.ts';

/** The precision of a last use: for a key in constant use it is written no more often than this. */
const WRITE_EVERY_MS = 10 * 60_000;

/** A separate file, because the key's own file is never rewritten: a rewrite could bring back a revoked key. */
export const usePath = (home: string, name: string): string => join(keysFolder(home), `${name}.used`);

/** Records when keys were last used, one file per key. Requests never wait for it; a read-only directory is fine. */
export class KeyUse {
  readonly #home: string;
  readonly #written = new Map<string, number>();

  constructor(home: string) {
    this.#home = home;
  }

  /** @param name of a stored key that was just accepted */
  note(name: string): void {
    const now = Date.now();
    if (now - (this.#written.get(name) ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
    this.#written.set(name, now);
    placeFile(usePath(this.#home, name), `${new Date(now).toISOString()}\n`, 'replace').catch(() => {
      // The last use is informational; failing to record it must not fail a request.
    });
  }
}

/** When a key was last used, to within ten minutes; undefined if no use was recorded since it was created. */
export async function lastUseOf(home: string, name: string, created: string): Promise<string | undefined> {
  const text = String(await readRegular(usePath(home, name)).catch(() => '')).trim();
  // A revoked key may have had the same name.
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && text >= created ? text : undefined;
}
