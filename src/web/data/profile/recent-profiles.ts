import { stat } from 'node:fs/promises';
import { unlessMissing } from '../../../storage/local/missing.ts';
import type { Profile } from './profile-shape.ts';

/** One of 2,000 columns takes some ten megabytes. */
const MAX_PROFILES = 4;

/** The profiles that were read last: that of a wide file takes a while to read, and each page of the data needs it. */
export class RecentProfiles {
  /** By path, the most recently used last. */
  readonly #known = new Map<string, { version: string; profile: Profile }>();

  /** The profile in a file. @param read called if it is not known, or if the file has changed */
  async get(path: string, read: () => Promise<Profile>): Promise<Profile> {
    const info = await stat(path).catch(unlessMissing);
    const version = `${info?.ino} ${info?.size} ${info?.mtimeMs}`;
    const known = this.#known.get(path);
    this.#known.delete(path);
    const profile = info !== undefined && known?.version === version ? known.profile : await read();
    this.#known.set(path, { version, profile });
    const [oldest = path] = this.#known.keys();
    if (this.#known.size > MAX_PROFILES) this.#known.delete(oldest);
    return profile;
  }
}
