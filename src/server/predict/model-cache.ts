import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from '../../models/model/model-file.ts';
import { loadReport } from '../../models/store/report-model.ts';
import { newestReportIds, reportVersion } from '../../models/store/report-store.ts';
import { type Predictor, predictorOf } from './predictor.ts';

/** Bytes of models in memory; the most recently used one is kept whatever its size. */
const MAX_BYTES = 512 * 1024 * 1024;

interface Entry {
  version: string;
  predictor: Promise<Predictor>;
  /** Approximate size in memory; 0 until it is loaded. */
  bytes: number;
  /** Requests that use the model for more than one turn of the event loop. */
  users: number;
  /** Whether to unload the model once nobody uses it. */
  isDropped: boolean;
}

/**
 * The models of the reports in a data directory: loaded on first use, reloaded after training, least recently used ones
 * dropped to stay within a memory limit.
 */
export class ModelCache {
  readonly #home: string;
  /** By id, the most recently used last. */
  readonly #entries = new Map<string, Entry>();
  /** By id, version checks in progress, which concurrent requests share. */
  readonly #looks = new Map<string, Promise<string>>();

  /** The memory limit. */
  readonly maxBytes: number;
  readonly #onUnload: (model: Model) => void;

  /** @param onUnload called with a model that nothing uses any more */
  constructor(home: string, maxBytes = MAX_BYTES, onUnload: (model: Model) => void = () => {}) {
    this.#home = home;
    this.maxBytes = maxBytes;
    this.#onUnload = onUnload;
  }

  /**
   * Use the predictor before the next `await`: a model that drops out of the cache is unloaded in a later turn of the
   * event loop.
   *
   * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`
   */
  async predictor(id: string): Promise<Predictor> {
    return this.#current(id, await this.#version(id)).predictor;
  }

  /**
   * Returns a predictor that stays loaded until it is released, once, even if its report is trained again meanwhile.
   *
   * @throws as `predictor`
   */
  async hold(id: string) {
    const entry = this.#current(id, await this.#version(id));
    entry.users++;
    const release = (): void => {
      entry.users--;
      this.#unloadIfUnused(entry);
    };
    try {
      return { predictor: await entry.predictor, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The number of models in memory. */
  get loaded(): number {
    return this.#entries.size;
  }

  /** Bytes of the models in memory. */
  get bytes(): number {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.bytes;
    return bytes;
  }

  /** Models in use are unloaded when they are released. */
  close(): void {
    for (const entry of this.#entries.values()) this.#drop(entry);
    this.#entries.clear();
  }

  /** The current version on disk. If the report was deleted or is damaged, its model is dropped. */
  #version(id: string): Promise<string> {
    const known = this.#looks.get(id);
    if (known !== undefined) return known;
    const look = reportVersion(this.#home, id)
      .catch(error => {
        const entry = this.#entries.get(id);
        this.#entries.delete(id);
        if (entry !== undefined) this.#drop(entry);
        throw error;
      })
      .finally(() => this.#looks.delete(id));
    this.#looks.set(id, look);
    return look;
  }

  /** Synchronous, so that an entry cannot be dropped between lookup and use. */
  #current(id: string, version: string): Entry {
    const known = this.#entries.get(id);
    this.#entries.delete(id);
    if (known?.version === version) {
      this.#entries.set(id, known);
      return known;
    }
    if (known !== undefined) this.#drop(known);
    const predictor = loadReport(this.#home, id).then(predictorOf);
    const entry: Entry = { version, predictor, bytes: 0, users: 0, isDropped: false };
    this.#entries.set(id, entry);
    entry.predictor.then(
      ({ model }) => {
        entry.bytes = model.bytes;
        this.#dropOldest();
      },
      () => {
        // The damage may be repaired, so a failure is not cached.
        if (this.#entries.get(id) === entry) this.#entries.delete(id);
      },
    );
    return entry;
  }

  /** Drops the least recently used models, but never the last one. */
  #dropOldest(): void {
    let { bytes } = this;
    for (const [id, entry] of this.#entries) {
      if (bytes <= this.maxBytes || this.#entries.size === 1) return;
      // A loading model is needed, and its size is not known yet.
      if (entry.bytes === 0) continue;
      this.#entries.delete(id);
      bytes -= entry.bytes;
      this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    entry.isDropped = true;
    this.#unloadIfUnused(entry);
  }

  #unloadIfUnused({ predictor, users, isDropped }: Entry): void {
    if (users > 0 || !isDropped) return;
    predictor.then(
      ({ model }) =>
        setImmediate(() => {
          model.engine.unload();
          this.#onUnload(model);
        }),
      () => {}, // A model that failed to load has nothing to free; its requests got the error.
    );
  }
}

/** The share of the cache that is filled: what is loaded later must not drop what was loaded first. */
const FILLED = 0.5;

/**
 * Loads models before the first request needs them, those of the reports that were trained last first, until the time
 * is over or half of the memory for models is used. A report that cannot be loaded is left to the request that asks for
 * it.
 *
 * @returns the ids of the loaded reports, in the order in which they were loaded
 */
export async function preloadModels(home: string, models: ModelCache, ms: number): Promise<string[]> {
  const loaded: string[] = [];
  const late = new AbortController();
  const timeout = sleep(ms, undefined, { signal: late.signal, ref: false }).catch(() => {});
  let isLate = false;
  timeout.then(() => {
    isLate = true;
  });
  const load = async (): Promise<void> => {
    for (const id of await newestReportIds(home)) {
      if (isLate || models.bytes > models.maxBytes * FILLED) return;
      await models.predictor(id).then(
        () => loaded.push(id),
        () => {}, // Its requests get the error.
      );
    }
  };
  // A large model goes on loading, and the service does not wait for it.
  await Promise.race([load().catch(() => {}), timeout]);
  late.abort();
  return [...loaded];
}
