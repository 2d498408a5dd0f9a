import { scoreOptions } from '../../src/definition/options.ts';
import { resolveValues } from '../../src/definition/values.ts';
import type { ScoreOptions } from '../../src/pipeline/options.ts';

/** The options of a scoring run, those that are not given at their defaults. */
export function job(options: Pick<ScoreOptions, 'input' | 'output'> & Partial<ScoreOptions>): ScoreOptions {
  return { ...resolveValues(scoreOptions, {}), report: 'r', ...options };
}
