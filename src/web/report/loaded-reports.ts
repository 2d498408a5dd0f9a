import {
  isImported,
  isTested,
  type NumbersReport,
  type TestedReport,
  type TrainedReport,
} from '../../base/contract/schemas.ts';
import { readReport, reportVersion } from '../../models/store/report-store.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { Recent } from '../recent.ts';
import { evaluateReport, type ReportEvaluation } from './evaluation/evaluation.ts';
import { type PersonaField, personaFields } from './persona/fields.ts';

/** A report with what its page derives from it. */
export interface LoadedReport {
  report: TrainedReport | TestedReport | NumbersReport;
  /** Undefined if the testing results cannot be read; the rest of the page does not need them. */
  evaluation: ReportEvaluation | undefined;
  fields: readonly PersonaField[];
}

/** The evaluation of a report with 100 classes takes about a megabyte. */
const MAX_REPORTS = 20;

/**
 * Returns a function that loads the reports in a data directory, each kept until it is trained again.
 *
 * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`, as the function
 */
export function reportLoader(context: PlatformContext): (id: string) => Promise<LoadedReport> {
  const recent = new Recent<LoadedReport>(MAX_REPORTS);
  /** One at a time, because each reads a whole file. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (id: string): Promise<LoadedReport> => {
    const loaded = last.then(() => readAll(context, id));
    last = loaded.catch(() => {}); // The caller handles the error.
    return loaded;
  };
  return async id => {
    const loaded = recent.get(id, await reportVersion(context.home, id), () => inTurn(id));
    const { evaluation } = await loaded;
    // Damage may be repaired, so it is not kept.
    if (evaluation === undefined) recent.forget(id, loaded);
    return loaded;
  };
}

async function readAll({ home, models, log }: PlatformContext, id: string): Promise<LoadedReport> {
  const report = await readReport(home, id);
  if (isImported(report) && !isTested(report))
    throw new RequestError(
      'no_such_endpoint',
      'The report was imported without labelled rows, so there is no persona to try.',
    );
  // The columns as the model has them: the report does not store the categories.
  const { columns } = (await models.predictor(id)).model;
  const evaluation = await evaluateReport({ home, id, classes: report.classes ?? [], columns }).catch(err => {
    log.warn(
      { event: 'testing_results_damaged', err, report: id },
      'the testing results cannot be evaluated',
    );
    return undefined;
  });
  return { report, evaluation, fields: personaFields(columns, report.drivers, evaluation?.columns) };
}
