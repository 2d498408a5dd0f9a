import { scoreOptions } from './options.ts';
import { resolveValues } from './values.ts';

/** The options of a scoring run where nothing is said, for programs that call `score`. */
export const scoreDefaults = resolveValues(scoreOptions, {});
