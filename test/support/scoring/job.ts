import { scoreOptions } from '../../../src/config/option-table.ts';
import { resolveValues } from '../../../src/config/resolve-options.ts';
import type { ScoreOptions } from '../../../src/runs/options.ts';

/** The options of a scoring run, with defaults for those not given. */
export function job(options: Pick<ScoreOptions, 'input' | 'output'> & Partial<ScoreOptions>): ScoreOptions {
  return { ...resolveValues(scoreOptions, {}), report: 'r', ...options };
}
