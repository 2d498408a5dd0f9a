import type { Client } from '../client/client.ts';

/** What commands ask a prediction service for, hosted or local. */
export type Service = Pick<Client, 'name' | 'report' | 'persona' | 'testingResults' | 'batchPredict'>;

export const LOCAL = 'local';

/** A report for people: `local report churn`, or `report churn of http://…`. */
export const nameReport = (report: string, { name }: Pick<Service, 'name'>): string =>
  name === LOCAL ? `local report ${report}` : `report ${report} at ${name}`;
