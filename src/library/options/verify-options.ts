import { sampleOptions, verifyOptions } from '../../base/options/verify.ts';
import { scoreOptions } from './score-options.ts';

const { url, home } = scoreOptions;

/** The options of `rowcast verify` that a program gives by name. */
export const verifyTable = { ...verifyOptions, ...sampleOptions, url, home };
