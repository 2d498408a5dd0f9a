import { loadReportModel, reportVersion } from '../../reports/report-store.ts';
import { type Predictor, predictorOf } from './predictor.ts';

/** Bytes of models in memory; the one that was used last is kept however large it is. */
const MAX_BYTES = 512 * 1024 * 1024;

interface Entry {
  version: string;
  predictor: Promise<Predictor>;
  /** About what it takes in memory; 0 until it is loaded. */
  bytes: number;
  /** Requests that use the model over more than one turn of the event loop. */
  users: number;
  /** To be unloaded when nobody holds it any more. */
  isDropped: boolean;
}

/** A model that stays in memory until it is let go, whatever is trained meanwhile. */
export interface HeldModel {
  predictor: Predictor;
  /** To be called once. */
  release(): void;
}

/** The models of a home's reports: loaded when first asked for, loaded again after a training, kept within a bound of bytes. */
export class ModelCache {
  readonly #home: string;
  /** By id, the most recently used last. */
  readonly #entries = new Map<string, Entry>();
  /** By id, looks at the disk that are under way: requests that come meanwhile share one. */
  readonly #looks = new Map<string, Promise<string>>();

  readonly #maxBytes: number;

  private constructor(home: string, maxBytes: number) {
    this.#home = home;
    this.#maxBytes = maxBytes;
  }

  /** @param maxBytes of models in memory */
  static async open(home: string, maxBytes = MAX_BYTES): Promise<ModelCache> {
    return new ModelCache(home, maxBytes);
  }

  /**
   * Use the answer before the next `await`: what drops out of the cache is unloaded in a later turn of the
   * event loop.
   *
   * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`
   */
  async predictor(id: string): Promise<Predictor> {
    return this.#current(id, await this.#version(id)).predictor;
  }

  /**
   * A predictor for as long as it is held.
   *
   * @throws as `predictor`
   */
  async hold(id: string): Promise<HeldModel> {
    const entry = this.#current(id, await this.#version(id));
    entry.users++;
    const release = (): void => {
      entry.users--;
      unloadIfUnused(entry);
    };
    try {
      return { predictor: await entry.predictor, release: release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Models that are kept in memory. */
  get loaded(): number {
    return this.#entries.size;
  }

  /** What is held is unloaded when it is let go. */
  close(): void {
    for (const entry of this.#entries.values()) drop(entry);
    this.#entries.clear();
  }

  /** The version on disk now; a report that was deleted or is damaged is not kept in memory. */
  #version(id: string): Promise<string> {
    const known = this.#looks.get(id);
    if (known !== undefined) return known;
    const look = reportVersion(this.#home, id)
      .catch(error => {
        const entry = this.#entries.get(id);
        this.#entries.delete(id);
        if (entry !== undefined) drop(entry);
        throw error;
      })
      .finally(() => this.#looks.delete(id));
    this.#looks.set(id, look);
    return look;
  }

  /** Does not wait, so that nothing is dropped between its being found and its being held. */
  #current(id: string, version: string): Entry {
    const known = this.#entries.get(id);
    this.#entries.delete(id);
    if (known?.version === version) {
      this.#entries.set(id, known);
      return known;
    }
    if (known !== undefined) drop(known);
    const entry: Entry = { version, predictor: this.#load(id), bytes: 0, users: 0, isDropped: false };
    this.#entries.set(id, entry);
    entry.predictor.then(
      ({ model }) => {
        entry.bytes = model.bytes;
        this.#makeRoom();
      },
      () => {
        // Damage may be mended, so a failure is not kept.
        if (this.#entries.get(id) === entry) this.#entries.delete(id);
      },
    );
    return entry;
  }

  /** Drops the models that were used least recently, but never the last one. */
  #makeRoom(): void {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.bytes;
    for (const [id, entry] of this.#entries) {
      if (bytes <= this.#maxBytes || this.#entries.size === 1) return;
      // What still loads is wanted, and its size is not known yet.
      if (entry.bytes === 0) continue;
      this.#entries.delete(id);
      bytes -= entry.bytes;
      drop(entry);
    }
  }

  async #load(id: string): Promise<Predictor> {
    return predictorOf(await loadReportModel(this.#home, id));
  }
}

function drop(entry: Entry): void {
  entry.isDropped = true;
  unloadIfUnused(entry);
}

function unloadIfUnused({ predictor, users, isDropped }: Entry): void {
  if (users > 0 || !isDropped) return;
  predictor.then(
    ({ model }) => setImmediate(() => model.engine.unload()),
    () => {}, // What never loaded has nothing to free; whoever asked for it was told.
  );
}
