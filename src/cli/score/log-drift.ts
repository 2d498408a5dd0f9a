import type { Logger } from 'pino';
import type { DriftLine } from '../../runs/observers/drift.ts';

/** @param isPart whether it is of one of several files, which is of interest only if something has changed */
export function logDrift(
  log: Pick<Logger, 'info' | 'warn'>,
  { line, psi, isWarning }: DriftLine,
  isPart: boolean,
): void {
  if (isWarning) log.warn({ event: 'drift', psi }, line);
  else if (!isPart) log.info({ event: 'drift', psi }, line);
}
