import { batchOptions } from './options/pace.ts';
import { scoreOptions } from './options/score.ts';
import { resolveValues } from './resolve-options.ts';

/** The default options of a scoring run, for programs that call `score`. */
export const scoreDefaults = resolveValues({ ...scoreOptions, ...batchOptions }, {});
