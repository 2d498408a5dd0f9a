import { scoreDefaults } from '../../../src/base/options/values/score-defaults.ts';
import type { ScoreOptions } from '../../../src/runs/options.ts';

/** The options of a scoring run, with defaults for those not given. */
export function job(options: Pick<ScoreOptions, 'input' | 'output'> & Partial<ScoreOptions>): ScoreOptions {
  return { ...scoreDefaults, report: 'r', ...options };
}
