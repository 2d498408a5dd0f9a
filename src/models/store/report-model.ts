import { classesOf } from '../../base/contract/predictions.ts';
import type { Report } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import type { StoredModel } from '../model/compiled-model.ts';
import { loadModel, type Model, readStoredModel } from '../model/model-file.ts';
import { readReportOf } from './report-store.ts';
import { checksumOf, damaged, type ReportVersion, readIntact, withReportVersion } from './report-version.ts';

/** A report as in the service's response, and its model. */
export interface LocalReport {
  report: Report & { model_sha256: string };
  model: StoredModel;
}

/** Loads a report and its model. @throws as the functions of `report-store.ts` */
export function loadReport(home: string, id: string): Promise<{ report: Report; model: Model }> {
  return withReportVersion(home, id, async version => {
    const report = await readReportOf(version);
    return { report, model: await modelOf(version, report, loadModel, model => model.engine.unload()) };
  });
}

/** Loads a report's model. @throws as the functions of `report-store.ts` */
export const loadReportModel = async (home: string, id: string): Promise<Model> =>
  (await loadReport(home, id)).model;

/** Reads a report and its model for other threads. @throws as the functions of `report-store.ts` */
export function readLocalReport(home: string, id: string): Promise<LocalReport> {
  return withReportVersion(home, id, async version => {
    const report = await readReportOf(version);
    const model = await modelOf(version, report, readStoredModel);
    return { report: { ...report, model_sha256: await checksumOf(version, 'model.zip') }, model };
  });
}

async function modelOf<T extends Pick<Model, 'prediction'>>(
  version: ReportVersion,
  report: Report,
  read: (file: Buffer) => Promise<T>,
  unload: (model: T) => void = () => {},
): Promise<T> {
  try {
    const model = await read(await readIntact(version, 'model.zip'));
    if (classesOf(model.prediction).join('\n') === (report.classes ?? []).join('\n')) return model;
    unload(model);
    throw new Error('its classes differ from the report’s');
  } catch (cause) {
    if (cause instanceof RowcastError && cause.code === 'damaged_report') throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw damaged(version, `its model does not load: ${reason}`, cause);
  }
}
