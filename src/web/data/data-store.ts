import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { RequestError } from '../../server/problems/problems.ts';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { readLock } from '../../storage/local/locks/lock-holder.ts';
import { isMissing, unlessAbsent, unlessMissing } from '../../storage/local/missing.ts';
import { Quota } from '../space/quota.ts';
import { sizeOfFolder } from '../space/size-of-folder.ts';
import { Space } from '../space/space.ts';
import { damagedData, noSuchData } from './data-errors.ts';
import {
  type DataMeta,
  dataFolder,
  dataId,
  dataMeta,
  deleted,
  holderFile,
  metaFile,
  pathIn,
  profileFile,
  uploading,
} from './data-files.ts';
import { type Profile, profile } from './profile/profile-shape.ts';
import { RecentProfiles } from './profile/recent-profiles.ts';
import type { DataSettings } from './settings.ts';

export interface ListedData {
  id: string;
  /** Undefined if it is damaged. */
  meta: DataMeta | undefined;
}

/** A folder without a holder is that of an upload that is just starting, unless it is older than this. */
const STARTING_MS = 60_000;

/** The uploaded data in a data directory. */
export class DataStore {
  readonly home: string;
  readonly space: Space;
  /** How many trainings read each data. */
  readonly #held = new Map<string, number>();
  readonly #profiles = new RecentProfiles();
  /** The last change of settings; the next one begins after it. */
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(home: string, space: Space) {
    this.home = home;
    this.space = space;
  }

  get quota(): Quota {
    return this.space.quota;
  }

  /**
   * Removes what a killed process left, and counts what is there.
   *
   * @param onLeftovers called with the number of uploads that were not finished, if there are any
   */
  static async open(
    home: string,
    totalBytes: number,
    onLeftovers: (uploads: number) => void = () => {},
  ): Promise<DataStore> {
    const store = new DataStore(home, new Space(new Quota(totalBytes), 'The file'));
    let removed = 0;
    for (const name of await namesIn(dataFolder(home))) {
      if (dataId.safeParse(name).success) await store.#count(name);
      else if (name.startsWith(deleted) || (name.startsWith(uploading) && (await isLeft(home, name)))) {
        await rm(join(dataFolder(home), name), { recursive: true, force: true });
        if (name.startsWith(uploading)) removed++;
      }
    }
    if (removed > 0) onLeftovers(removed);
    return store;
  }

  /** All data, the newest first, including damaged ones. */
  async list(): Promise<ListedData[]> {
    const ids = (await namesIn(dataFolder(this.home))).filter(name => dataId.safeParse(name).success);
    const listed = await Promise.all(
      ids.map(async id => ({ id, meta: await this.meta(id).catch(unlessDamaged) })),
    );
    return listed.sort((a, b) => (b.meta?.created ?? '').localeCompare(a.meta?.created ?? ''));
  }

  /** @throws RequestError `no_such_data`, `damaged_data`, as all methods with an id do */
  async meta(id: string): Promise<DataMeta> {
    const meta = await this.#read(id, metaFile, dataMeta);
    if (meta.id !== id) throw damagedData();
    return meta;
  }

  async profile(id: string): Promise<Profile> {
    if (!dataId.safeParse(id).success) throw noSuchData();
    return this.#profiles.get(pathIn(this.home, id, profileFile), () => this.#read(id, profileFile, profile));
  }

  /** The uploaded bytes, in a file whose name has the suffix that decides how it is read. */
  pathOf({ id, file }: DataMeta): string {
    return pathIn(this.home, id, file);
  }

  /** Changes the settings; simultaneous changes are made one after the other. */
  changeSettings(id: string, change: (settings: DataSettings) => DataSettings): Promise<DataMeta> {
    const changing = this.#changing
      .catch(() => {}) // reported to whoever made it
      .then(async () => {
        const meta = await this.meta(id);
        const next = { ...meta, settings: change(meta.settings) };
        await placeFile(pathIn(this.home, id, metaFile), `${JSON.stringify(next, null, 2)}\n`, 'replace');
        return next;
      });
    this.#changing = changing;
    return changing;
  }

  /** Prevents data from being deleted. @returns what allows it again */
  hold(id: string): () => void {
    this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#held.get(id) ?? 1) - 1;
      if (left === 0) this.#held.delete(id);
      else this.#held.set(id, left);
    };
  }

  /** Deletes data, even if it is damaged: a rename hides it before its files are removed. */
  async delete(id: string): Promise<void> {
    if (!dataId.safeParse(id).success) throw noSuchData();
    if (this.#held.has(id))
      throw new RequestError(
        'data_in_use',
        'A training reads this data. Wait until it has ended, or cancel it.',
      );
    const hidden = join(dataFolder(this.home), deleted + id);
    await rename(join(dataFolder(this.home), id), hidden).catch(cause => {
      throw isMissing(cause) ? noSuchData() : cause;
    });
    this.space.release(id);
    await rm(hidden, { recursive: true, force: true });
  }

  /** Damaged data is counted for nobody. */
  async #count(id: string): Promise<void> {
    const meta = await this.meta(id).catch(unlessDamaged);
    this.space.begin(id, meta?.by ?? '');
    this.space.set(id, await sizeOfFolder(join(dataFolder(this.home), id)));
  }

  async #read<T>(id: string, file: string, shape: z.ZodType<T>): Promise<T> {
    if (!dataId.safeParse(id).success) throw noSuchData();
    const text = await readFile(pathIn(this.home, id, file), 'utf8').catch(unlessMissing);
    if (text === undefined) {
      const folder = await stat(join(dataFolder(this.home), id)).catch(unlessMissing);
      throw folder === undefined ? noSuchData() : damagedData();
    }
    const read = shape.safeParse(parsed(text));
    if (!read.success) throw damagedData();
    return read.data;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof RequestError)) throw error;
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(unlessAbsent)) ?? [];

/** Whether the process of an upload has ended. */
async function isLeft(home: string, name: string): Promise<boolean> {
  const holder = await readLock(pathIn(home, name, holderFile));
  if (holder !== undefined) return !holder.isHeld;
  const folder = await stat(join(dataFolder(home), name)).catch(unlessMissing);
  return folder !== undefined && Date.now() - folder.mtimeMs > STARTING_MS;
}
