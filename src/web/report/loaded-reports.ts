import type { Report } from '../../base/contract/schemas.ts';
import { readReport, reportVersion } from '../../models/store/report-store.ts';
import type { PlatformContext } from '../context.ts';
import { type Evaluation, evaluateReport } from './evaluation/evaluation.ts';
import { type PersonaField, personaFields } from './persona/fields.ts';

/** A report with what its page derives from it. */
export interface LoadedReport {
  report: Report;
  /** Undefined if the testing results cannot be read; the rest of the page does not need them. */
  evaluation: Evaluation | undefined;
  fields: readonly PersonaField[];
}

/** The evaluation of a report with 100 classes takes about a megabyte. */
const MAX_REPORTS = 20;

/** The reports in a data directory, each kept until it is trained again. */
export class LoadedReports {
  readonly #context: Pick<PlatformContext, 'home' | 'models' | 'log'>;
  /** By id, the most recently used last. */
  readonly #entries = new Map<string, { version: string; loaded: Promise<LoadedReport> }>();
  /** One at a time, because each reads a whole file. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Pick<PlatformContext, 'home' | 'models' | 'log'>) {
    this.#context = context;
  }

  /** @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report` */
  async load(id: string): Promise<LoadedReport> {
    const version = await reportVersion(this.#context.home, id);
    const known = this.#entries.get(id);
    this.#entries.delete(id);
    const entry = known?.version === version ? known : { version, loaded: this.#inTurn(id) };
    this.#entries.set(id, entry);
    const forget = (): void => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    };
    // Damage may be repaired, so it is not kept.
    entry.loaded.then(({ evaluation }) => evaluation ?? forget(), forget);
    const [oldest = id] = this.#entries.keys();
    if (this.#entries.size > MAX_REPORTS) this.#entries.delete(oldest);
    return entry.loaded;
  }

  #inTurn(id: string): Promise<LoadedReport> {
    const loaded = this.#last.then(() => this.#read(id));
    this.#last = loaded.catch(() => {}); // The caller handles the error.
    return loaded;
  }

  async #read(id: string): Promise<LoadedReport> {
    const { home, models, log } = this.#context;
    const report = await readReport(home, id);
    // The columns as the model has them: the report does not store the categories.
    const { columns } = (await models.predictor(id)).model;
    const evaluation = await evaluateReport(home, report, columns).catch(error => {
      log.warn(
        { event: 'testing_results_damaged', err: error, report: id },
        'the testing results cannot be evaluated',
      );
      return undefined;
    });
    return { report, evaluation, fields: personaFields(columns, report.drivers, evaluation?.columns) };
  }
}
