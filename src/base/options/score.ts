import { driftOptions } from './drift.ts';
import { inputOptions, waitOptions } from './input.ts';
import { endOptions, summaryOptions } from './observability.ts';
import { appendedOptions, columnOptions, filesOptions, outputOptions } from './output.ts';
import { batchOptions, rateOptions, threadOptions } from './pace.ts';
import { rejectsOptions } from './repair.ts';
import { reuseOptions } from './reuse/reuse-options.ts';
import {
  callOptions,
  connectionOptions,
  outageOptions,
  protocolOption,
  reportOption,
  timeoutOption,
} from './service.ts';
import { storeOptions } from './store.ts';

/** Which rows are read and what becomes of them: the keys of `score` in a definition. */
export const scoreOptions = {
  ...reportOption,
  ...inputOptions,
  ...waitOptions,
  ...outputOptions,
  ...filesOptions,
  ...storeOptions,
  ...columnOptions,
  ...appendedOptions,
  ...rejectsOptions,
  ...reuseOptions,
  ...driftOptions,
  ...summaryOptions,
  ...endOptions,
};

/** Who predicts and how fast: the keys of `service` in a definition. */
export const serviceOptions = {
  ...protocolOption,
  ...connectionOptions,
  ...timeoutOption,
  ...outageOptions,
  ...rateOptions,
  ...batchOptions,
  ...threadOptions,
};

/** The options of a run, and the folder of the local reports, by the headings of the help. */
export const runGroups = {
  Input: { ...inputOptions, ...waitOptions },
  Output: { ...outputOptions, ...filesOptions },
  Stores: storeOptions,
  'Columns of the output': columnOptions,
  'Appended columns': appendedOptions,
  'Rows that fail': rejectsOptions,
  'Earlier predictions': reuseOptions,
  Drift: driftOptions,
  Service: { ...reportOption, ...callOptions, ...outageOptions },
  Pace: { ...rateOptions, ...batchOptions, ...threadOptions },
  'Result of the run': { ...summaryOptions, ...endOptions },
};

/** All options of a scoring run. */
export const runOptions = { ...scoreOptions, ...serviceOptions };
