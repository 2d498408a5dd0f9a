import { sanitize } from '../../sanitize.ts';

/** Who predicts, for people: the base URL, or the reports of this machine. */
export const serviceText = (service: string): string =>
  service === 'local' ? 'local reports' : sanitize(service);
