import { type RunValues, scoreDefaults } from '../../../src/base/options/values/run-values.ts';

/** The options of a scoring run, with defaults for those not given. */
export function job(options: Pick<RunValues, 'input' | 'output'> & Partial<RunValues>): RunValues {
  return { ...scoreDefaults, report: 'r', ...options };
}
