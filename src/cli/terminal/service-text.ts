import { sanitize } from '../../sanitize.ts';

/** Who predicts, for people: the base URL, or the reports of this machine, which earlier versions called embedded. */
export const serviceText = (service: string): string =>
  service === 'local' || service === 'embedded' ? 'local reports' : sanitize(service);
