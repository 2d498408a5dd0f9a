import { sanitize } from '../../sanitize.ts';

/** Whether these are the reports of this machine, which earlier versions called embedded. */
export const isLocal = (service: string): boolean => service === 'local' || service === 'embedded';

/** Who predicts, for people: the base URL, or the reports of this machine. */
export const serviceText = (service: string): string =>
  isLocal(service) ? 'local reports' : sanitize(service);
