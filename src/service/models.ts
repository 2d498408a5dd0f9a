import { type Engine, loadEngine } from './engine.ts';
import { type Predictor, predictorOf } from './predictor.ts';
import { loadReportModel, reportVersion } from './reports.ts';

/** A model takes some megabytes of the engine's memory, up to a hundred for the heaviest. */
const mostModels = 8;

interface Entry {
  version: string;
  predictor: Promise<Predictor>;
}

/** The models of a home's reports: loaded when first asked for, loaded anew after a training, the last eight kept. */
export class Models {
  readonly #home: string;
  readonly #engine: Engine;
  /** By id, the most recently used last. */
  readonly #entries = new Map<string, Entry>();

  private constructor(home: string, engine: Engine) {
    this.#home = home;
    this.#engine = engine;
  }

  static async open(home: string): Promise<Models> {
    return new Models(home, await loadEngine());
  }

  /**
   * Use the answer before the next `await`: what drops out of the cache is unloaded in a later turn of the
   * event loop.
   *
   * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`
   */
  async predictor(id: string): Promise<Predictor> {
    const version = await reportVersion(this.#home, id);
    const known = this.#entries.get(id);
    this.#entries.delete(id);
    if (known?.version === version) {
      this.#entries.set(id, known);
      return known.predictor;
    }
    if (known !== undefined) unload(known);
    const entry = { version, predictor: this.#load(id) };
    this.#entries.set(id, entry);
    for (const [oldest, dropped] of this.#entries) {
      if (this.#entries.size <= mostModels) break;
      this.#entries.delete(oldest);
      unload(dropped);
    }
    try {
      return await entry.predictor;
    } catch (error) {
      // Damage may be mended, so a failure is not kept.
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      throw error;
    }
  }

  /** Models that are kept in memory. */
  get loaded(): number {
    return this.#entries.size;
  }

  close(): void {
    for (const entry of this.#entries.values()) unload(entry);
    this.#entries.clear();
  }

  async #load(id: string): Promise<Predictor> {
    return predictorOf(await loadReportModel(this.#home, id, this.#engine));
  }
}

function unload({ predictor }: Entry): void {
  predictor.then(
    ({ model }) => setImmediate(() => model.engine.unload()),
    () => {}, // What never loaded has nothing to free; whoever asked for it was told.
  );
}
