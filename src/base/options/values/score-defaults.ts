import { runOptions } from '../score.ts';
import { resolveValues } from './resolve-options.ts';

/** The default options of a scoring run, for programs that call `score`. */
export const scoreDefaults = resolveValues(runOptions, {});
