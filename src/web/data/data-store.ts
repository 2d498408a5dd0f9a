import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '../../server/problems/problems.ts';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { isMissing } from '../../storage/local/missing.ts';
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
  metaFile,
  pathIn,
  profileFile,
} from './data-files.ts';
import { removeLeftovers } from './leftovers.ts';
import { type Profile, profile } from './profile/profile-shape.ts';
import { RecentProfiles } from './profile/recent-profiles.ts';
import { dataIds, readDataFile } from './read-data.ts';
import type { DataSettings } from './settings.ts';

export interface ListedData {
  id: string;
  /** Undefined if it is damaged. */
  meta: DataMeta | undefined;
}

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
    for (const id of await dataIds(home)) await store.#count(id);
    const removed = await removeLeftovers(home);
    if (removed > 0) onLeftovers(removed);
    return store;
  }

  /** All data, the newest first, including damaged ones. */
  async list(): Promise<ListedData[]> {
    const listed = await Promise.all(
      (await dataIds(this.home)).map(async id => ({ id, meta: await this.meta(id).catch(unlessDamaged) })),
    );
    return listed.sort((a, b) => (b.meta?.created ?? '').localeCompare(a.meta?.created ?? ''));
  }

  /** @throws RequestError `no_such_data`, `damaged_data`, as all methods with an id do */
  async meta(id: string): Promise<DataMeta> {
    const meta = await readDataFile(this.home, id, metaFile, dataMeta);
    if (meta.id !== id) throw damagedData();
    return meta;
  }

  async profile(id: string): Promise<Profile> {
    if (!dataId.safeParse(id).success) throw noSuchData();
    const path = pathIn(this.home, id, profileFile);
    return this.#profiles.get(path, () => readDataFile(this.home, id, profileFile, profile));
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
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof RequestError)) throw error;
}
