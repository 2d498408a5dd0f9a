import type { runOptions } from '../base/options/score.ts';
import type { Values } from '../base/options/values/resolve-options.ts';

/** The options of a scoring run. */
export type JobValues = Values<typeof runOptions>;
