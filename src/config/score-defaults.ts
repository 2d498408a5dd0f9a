import { scoreOptions } from './option-table.ts';
import { resolveValues } from './resolve-options.ts';

/** The options of a scoring run where nothing is said, for programs that call `score`. */
export const scoreDefaults = resolveValues(scoreOptions, {});
