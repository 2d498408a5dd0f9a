import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestError } from '../../server/problems/problems.ts';
import { isMissing, unlessMissing } from '../../storage/local/missing.ts';
import { readMany } from '../../storage/local/read-files.ts';
import { DiskQuota, Space, sizeOfFolder } from '../quota.ts';
import { Recent } from '../recent.ts';
import { placeJson } from '../stored-json.ts';
import { TrainingStore } from '../training-store.ts';
import {
  type DataMeta,
  damagedData,
  dataFolder,
  dataId,
  dataIds,
  dataMeta,
  deleted,
  metaFile,
  noSuchData,
  pathIn,
  profileFile,
  readDataFile,
  removeLeftovers,
} from './data-files.ts';
import { type Profile, profile } from './profile/profile-shape.ts';
import type { DataSettings } from './settings.ts';

/** The most uploaded files; the page with all of them and a backup of the data directory must stay possible. */
const MAX_FILES = 1_000;
/** One of 2,000 columns takes some ten megabytes. */
const MAX_PROFILES = 4;

export interface ListedData {
  id: string;
  /** Undefined if it is damaged. */
  meta: DataMeta | undefined;
}

/** The uploaded data in a data directory. */
export class DataStore {
  readonly home: string;
  readonly space: Space;
  /** How many trainings of this process read each data. */
  readonly #held = new Map<string, number>();
  /** That of a wide file takes a while to read, and each page of the data needs it. */
  readonly #profiles = new Recent<Profile>(MAX_PROFILES);
  readonly #trainings: TrainingStore;
  /** The last change of settings; the next one begins after it. */
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(home: string, space: Space) {
    this.home = home;
    this.space = space;
    this.#trainings = new TrainingStore(home);
  }

  get quota(): DiskQuota {
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
    const store = new DataStore(
      home,
      new Space(new DiskQuota(totalBytes), 'The file', { most: MAX_FILES, called: 'uploaded files' }),
    );
    for (const id of await dataIds(home)) await store.#count(id);
    const removed = await removeLeftovers(home);
    if (removed > 0) onLeftovers(removed);
    return store;
  }

  /** All data, the newest first, including damaged ones. */
  async list(): Promise<ListedData[]> {
    const ids = await dataIds(this.home);
    const listed = await readMany(ids, async id => ({
      id,
      meta: await this.meta(id).catch(unlessDamaged),
    }));
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
    const info = await stat(path).catch(unlessMissing);
    const version = `${info?.ino} ${info?.size} ${info?.mtimeMs}`;
    return this.#profiles.get(path, version, () => readDataFile(this.home, id, profileFile, profile));
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
        await placeJson(pathIn(this.home, id, metaFile), next);
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
    await this.#checkUnused(id);
    const folder = join(dataFolder(this.home), id);
    const hidden = join(dataFolder(this.home), deleted + id);
    await rename(folder, hidden).catch(cause => {
      throw isMissing(cause) ? noSuchData() : cause;
    });
    // Another service may have started a training since; one that starts from now on finds no data.
    await this.#checkUnused(id).catch(async error => {
      await rename(hidden, folder);
      throw error;
    });
    this.space.release(id);
    await rm(hidden, { recursive: true, force: true });
  }

  /** @throws RequestError `data_in_use` if a training reads the data, also one of another service with the same home */
  async #checkUnused(id: string): Promise<void> {
    const isUsed = this.#held.has(id) || (await this.#trainings.running())?.data.id === id;
    if (isUsed)
      throw new RequestError(
        'data_in_use',
        'A training reads this data. Wait until it has ended, or cancel it.',
      );
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
