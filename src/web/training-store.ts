import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasReport } from '../models/store/report-store.ts';
import { placeFile } from '../storage/local/atomic-write.ts';
import { makeFolder } from '../storage/local/home-folder.ts';
import { lockOf } from '../storage/local/locks/lock-file.ts';
import { readLock } from '../storage/local/locks/lock-holder.ts';
import { takeLock } from '../storage/local/locks/output-lock.ts';
import { isMissing } from '../storage/local/missing.ts';
import { readMany, readRegular } from '../storage/local/read-files.ts';
import { type TrainingState, trainingId, trainingState } from './training-state.ts';

/** The most trainings that are remembered, besides those of reports that exist. */
const MAX_KEPT = 50;

/**
 * The trainings of a data directory: `<home>/trainings/<id>.json`, one file per training, and a lock that the process of
 * a running training holds. So a training that was killed is told from one that another service is running.
 */
export class TrainingStore {
  readonly #home: string;
  readonly #folder: string;
  readonly #lock: string;

  constructor(home: string) {
    this.#home = home;
    this.#folder = join(home, 'trainings');
    this.#lock = lockOf(join(this.#folder, 'running'));
  }

  /**
   * Takes the right to train.
   *
   * @returns a function that returns it
   * @throws RowcastError `locked` if another process is training
   */
  async lock(id: string): Promise<() => Promise<void>> {
    await makeFolder(this.#folder);
    const { release } = await takeLock(this.#lock, this.#folder, id);
    return release;
  }

  /** The training that some process is running. */
  async running(): Promise<TrainingState | undefined> {
    const found = await readLock(this.#lock);
    return found?.isHeld && found.output !== undefined ? this.#read(found.output) : undefined;
  }

  async write(state: TrainingState): Promise<void> {
    await placeFile(this.#path(state.id), `${JSON.stringify(state, null, 2)}\n`, 'replace');
  }

  /** The training with that id, if it exists. A training whose process was killed is interrupted. */
  async read(id: string): Promise<TrainingState | undefined> {
    const state = await this.#read(id);
    if (state?.status !== 'running' || (await this.#isHeldBy(id))) return state;
    // The training may have ended after its state was read, and then the lock was released.
    const now = await this.#read(id);
    return now?.status === 'running' ? { ...now, status: 'interrupted' } : now;
  }

  /** All trainings, the newest first. */
  async list(): Promise<TrainingState[]> {
    const states = await readMany(await this.#ids(), id => this.read(id));
    return states.filter(state => state !== undefined);
  }

  /** Forgets the oldest, but not the last training of a report that exists: it tells whose report it is. */
  async prune(): Promise<void> {
    const trained = new Set<string>();
    for (const [index, { id, status, report }] of (await this.list()).entries()) {
      const isLast = status === 'finished' && !trained.has(report);
      if (isLast) trained.add(report);
      if (index >= MAX_KEPT && !(isLast && (await hasReport(this.#home, report))))
        await rm(this.#path(id), { force: true });
    }
  }

  async #isHeldBy(id: string): Promise<boolean> {
    const found = await readLock(this.#lock);
    return found?.isHeld === true && found.output === id;
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(cause => {
      if (isMissing(cause)) return [];
      throw cause;
    });
    return names
      .flatMap(name => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
      .filter(id => trainingId.safeParse(id).success)
      .sort()
      .reverse();
  }

  async #read(id: string): Promise<TrainingState | undefined> {
    if (!trainingId.safeParse(id).success) return undefined;
    const text = await readRegular(this.#path(id)).catch(cause => {
      if (isMissing(cause)) return undefined;
      throw cause;
    });
    return text === undefined ? undefined : parsed(text.toString());
  }

  /** The id is valid, so this is a path in the folder. */
  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

/** A damaged file is of no use to anybody. */
function parsed(text: string): TrainingState | undefined {
  try {
    return trainingState.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
