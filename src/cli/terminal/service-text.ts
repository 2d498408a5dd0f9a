import { sanitize } from '../../base/sanitize.ts';
import { LOCAL } from '../../scoring/scorer.ts';

/** Who predicts, for people: the base URL, or the reports of this machine. */
export const serviceText = (service: string): string =>
  service === LOCAL ? 'local reports' : sanitize(service);
