import type { Report } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { reportFolder } from '../models/store/report-folder.ts';
import { hasReport, readReport } from '../models/store/report-store.ts';
import type { TrainOptions } from './train-options.ts';
import { changesSince } from './trained-from.ts';

const REPLACE_ONCE = 'To replace it, this time only, run the definition with --set train.if-exists=replace.';

/**
 * The report to keep instead of training one, if there is any.
 *
 * @throws RowcastError `report_exists`, `damaged_report`
 */
export async function existingReport(id: string, options: TrainOptions): Promise<Report | undefined> {
  const { home, ifExists, byDefinition = false, onSkip, onChanged } = options;
  if (ifExists === 'replace' || !(await hasReport(home, id))) return undefined;
  const comparesReport = ifExists === 'skip-unchanged' || (ifExists === undefined && byDefinition);
  if (ifExists !== 'skip' && !comparesReport)
    throw reportExists(home, id, {
      message: `there is already a report "${id}"`,
      hint: 'Use --if-exists replace to train it again, or --report ID for a new one.',
    });
  const report = await readReport(home, id).catch(error => {
    // Nobody knows who trained it.
    if (byDefinition && error instanceof RowcastError && error.code === 'damaged_report')
      error.hint = REPLACE_ONCE;
    throw error;
  });
  const changes = comparesReport ? await changesSince(report, options) : [];
  if (changes.length === 0) {
    onSkip?.(id, comparesReport);
    return report;
  }
  if (ifExists === undefined && report.trained_from.by_definition !== true)
    throw reportExists(home, id, {
      message: `there is already a report "${id}" that no definition has trained (${changes.join(', ')})`,
      hint: `Give another id in train: and score:, or keep this report with "if-exists: skip" in train:. ${REPLACE_ONCE}`,
    });
  onChanged?.(id, changes);
  return undefined;
}

const reportExists = (home: string, id: string, { message, hint }: Record<'message' | 'hint', string>) =>
  new RowcastError('report_exists', message, { location: { file: reportFolder(home, id) }, hint });
