import type { ReportClient } from '../client/protocols/report/report-client.ts';
import type { UploadService } from '../runs/transfer-file.ts';
import { LOCAL } from '../scoring/scorer.ts';

/** What commands ask a prediction service for, hosted or local. */
export type OpenedService = UploadService &
  Pick<ReportClient, 'name' | 'report' | 'persona' | 'testingResults'>;

/** A report for people: `local report churn`, or `report churn of http://…`. */
export const nameReport = (report: string, { name }: Pick<OpenedService, 'name'>): string =>
  name === LOCAL ? `local report ${report}` : `report ${report} at ${name}`;
