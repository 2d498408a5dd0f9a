import { inputOptions } from './input.ts';
import type { Option, RunOption } from './option.ts';
import { outputOptions } from './output.ts';
import { storeAccess } from './store.ts';
import { shapeOptions, verifyOptions } from './verify.ts';

const { delimiter, quote } = inputOptions;

/** Options of `repair`. */
export const repairOptions = {
  rejects: {
    kind: 'path',
    common: true,
    describe: 'the rejects file of the run',
    defaultText: 'OUTPUT.rejects',
  },
  'rejects-ok': {
    kind: 'threshold',
    value: 'N',
    describe: 'exit 0 instead of 1 if at most N rows are still rejected: they are given up',
  },
  ...shapeOptions,
  nulls: verifyOptions.nulls,
  delimiter,
  quote,
  escape: inputOptions.escape,
  'max-record-bytes': inputOptions['max-record-bytes'],
  private: outputOptions.private,
  ...storeAccess,
} as const satisfies Record<string, Option>;

/** What happens to rows that cannot be scored. */
export const rejectsOptions = {
  rejects: {
    kind: 'path',
    affectsOutput: 'recorded apart',
    common: true,
    describe: 'where to write rejected rows',
    defaultText: 'OUTPUT.rejects; with stdout as output, stderr',
  },
  'max-rejects': {
    kind: 'threshold',
    affectsOutput: 'no, but shards share it',
    common: true,
    describe: 'stop the run when more than N rows (or N%) are rejected',
    defaultText: 'no limit',
  },
  'rejects-ok': {
    kind: 'threshold',
    affectsOutput: 'no, but shards share it',
    common: true,
    describe: 'exit 0 instead of 1 if at most N rows (or N%) were rejected',
  },
} as const satisfies Record<string, RunOption>;
