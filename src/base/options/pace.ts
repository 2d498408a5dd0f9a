import { MAX_PERSONAS } from '../contract/limits.ts';
import type { RunOption } from './option.ts';

/** How large requests are. */
export const batchOptions = {
  'batch-rows': {
    kind: 'integer',
    affectsOutput: false,
    min: 1,
    max: MAX_PERSONAS,
    describe: 'most rows of a request, or of a batch of a local model',
    defaultText: '1000, or 4096 with a local report',
  },
  'batch-bytes': {
    kind: 'size',
    affectsOutput: false,
    default: '1MiB',
    min: 1024,
    max: 50_000_000,
    describe: 'largest request body',
  },
} as const satisfies Record<string, RunOption>;

/** How many requests are made at a time, and how often. */
export const rateOptions = {
  concurrency: {
    kind: 'integer',
    affectsOutput: false,
    default: 16,
    min: 1,
    max: 256,
    describe: 'most requests at once; fewer if that is faster',
  },
  'max-requests-per-second': {
    kind: 'number',
    affectsOutput: 'no, but shards share it',
    common: true,
    min: 0.001,
    describe: 'most requests per second, of all files and workers',
    defaultText: 'what the service accepts',
  },
  'max-rows-per-second': {
    kind: 'number',
    affectsOutput: 'no, but shards share it',
    min: 0.001,
    describe: 'most rows per second, of all files and workers',
    defaultText: 'what the service accepts',
  },
} as const satisfies Record<string, RunOption>;

/** How a local model predicts. */
export const threadOptions = {
  threads: {
    kind: 'integer',
    affectsOutput: false,
    min: 1,
    max: 256,
    describe: 'threads that score with a local report',
    defaultText: 'the number of cores',
  },
} as const satisfies Record<string, RunOption>;
