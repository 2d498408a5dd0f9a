import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { keysFolder } from './key-store.ts';

/** How exact a last use is: a key in constant use is written down no more often than this. */
const WRITE_EVERY_MS = 10 * 60_000;

/** Beside the key's own file, which is never rewritten: a rewrite could bring a revoked key back. */
export const usePath = (home: string, name: string): string => join(keysFolder(home), `${name}.used`);

/** Notes when keys were last used, in a file each. Requests never wait for it, and a home that is read-only is fine. */
export class KeyUse {
  readonly #home: string;
  readonly #written = new Map<string, number>();

  constructor(home: string) {
    this.#home = home;
  }

  /** @param name of a stored key that has just been good */
  note(name: string): void {
    const now = Date.now();
    if (now - (this.#written.get(name) ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
    this.#written.set(name, now);
    placeFile(usePath(this.#home, name), `${new Date(now).toISOString()}\n`, 'replace').catch(() => {
      // A last use is for people; nobody is to be refused for want of it.
    });
  }
}

/** When a key was last used, to ten minutes; undefined where that was never noted since it was created. */
export async function lastUseOf(home: string, name: string, created: string): Promise<string | undefined> {
  const text = (await readFile(usePath(home, name), 'utf8').catch(() => '')).trim();
  // One that was revoked may have had the same name.
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && text >= created ? text : undefined;
}
