import type { runOptions } from '../../config/options/score.ts';
import type { Values } from '../../config/resolve-options.ts';

/** The options of a scoring run. */
export type ScoreValues = Values<typeof runOptions>;
