import { sanitize } from '../base/sanitize.ts';

/** A response that must not be merged (G4 in docs/design.md). */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
  /** Whether the model is no longer the one that the run began with. */
  readonly classesChanged: boolean;
  readonly code: 'wrong_answer' | 'report_changed';

  constructor(message: string, changed = false, code: InvalidResponse['code'] = 'wrong_answer') {
    super(message);
    this.classesChanged = changed;
    this.code = code;
  }
}

/** @throws InvalidResponse if the response names a different report than the requested one */
export function checkReport(named: unknown, report: string | undefined): void {
  const isNamed = typeof named === 'string' || typeof named === 'number';
  if (report === undefined || !isNamed || String(named) === report) return;
  throw new InvalidResponse(
    `the response is from report "${sanitize(String(named))}", not "${sanitize(report)}"`,
  );
}
