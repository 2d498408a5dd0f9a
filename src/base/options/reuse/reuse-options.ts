import type { RunOption } from '../option.ts';

/** Predictions that are not paid for again. */
export const reuseOptions = {
  reuse: {
    kind: 'path',
    value: 'OUTPUT',
    repeatable: true,
    affectsOutput: 'recorded apart',
    describe:
      'output of an earlier run, whose predictions are copied to rows that would be sent with the same values',
    defaultText: 'none',
  },
  'reuse-max-age': {
    kind: 'duration',
    affectsOutput: 'no, but shards share it',
    min: 1,
    max: 31_536_000,
    describe: 'reuse no predictions that are older; needed for a service that states no version of its model',
    defaultText: 'any age',
  },
  'reuse-memory': {
    kind: 'size',
    affectsOutput: 'no, but shards share it',
    default: '256MiB',
    min: 1 << 20,
    max: 2 ** 36,
    describe: 'most memory for earlier predictions in another order; the rest is in a temporary file',
  },
  'reuse-sample': {
    kind: 'threshold',
    affectsOutput: 'no, but shards share it',
    value: 'N%',
    describe: 'ask for this share of the reused predictions again, and stop if one differs',
    defaultText: 'none',
  },
  dedupe: {
    kind: 'boolean',
    affectsOutput: 'no, but shards share it',
    default: false,
    describe:
      'send rows with the same values once: their copies get the same prediction, or are rejected too',
  },
  'price-per-1000': {
    kind: 'number',
    value: 'X',
    min: 0,
    affectsOutput: 'no, but shards share it',
    describe:
      'what 1,000 rows cost, to show what the rows that are not sent have saved; in a plan, also the cost',
  },
} as const satisfies Record<string, RunOption>;
