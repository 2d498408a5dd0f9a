import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { scoreDefaults } from '../../../src/base/options/values/score-defaults.ts';

/** The options of a scoring run, with defaults for those not given. */
export function job(options: Pick<RunValues, 'input' | 'output'> & Partial<RunValues>): RunValues {
  return { ...scoreDefaults, report: 'r', ...options };
}
