import type { RunOption } from './option.ts';

/** The word for the last good run, in place of a summary. */
export const LAST = 'last';

/** When a run stops because the model does not recognize its values. */
export const driftLimits = {
  'max-mismatches': {
    kind: 'threshold',
    orNone: true,
    affectsOutput: 'no, but shards share it',
    describe: 'stop when more values of any one column do not fit its type',
    defaultText: '50%, of columns that matter',
  },
  'max-missing': {
    kind: 'threshold',
    orNone: true,
    affectsOutput: 'no, but shards share it',
    describe: 'stop when more values of any one column are missing',
    defaultText: '50%, of columns that matter and had fewer in training',
  },
  'max-unseen': {
    kind: 'threshold',
    orNone: true,
    affectsOutput: 'no, but shards share it',
    describe: 'stop when more values of any one column are unknown categories',
    defaultText: '50%, of columns that matter',
  },
} as const satisfies Record<string, RunOption>;

/** What happens if the data has changed since the training. */
export const driftOptions = {
  ...driftLimits,
  'max-drift': {
    kind: 'number',
    min: 0,
    affectsOutput: 'no, but shards share it',
    describe:
      'stop before the output appears if a column or the predictions have changed by more than this population ' +
      'stability index, such as 0.25, since the run of --compare',
  },
  compare: {
    kind: 'path',
    value: 'SUMMARY|last',
    word: LAST,
    affectsOutput: 'no, but shards share it',
    describe: 'compare with the summary of an earlier run, or with the last good run of this output',
  },
  'min-rows': {
    kind: 'threshold',
    affectsOutput: 'no, but shards share it',
    describe: 'stop before the output appears when there are fewer rows, or than N% of the last good run',
    defaultText: 'none',
  },
  'if-same-as-last': {
    kind: 'text',
    choices: ['warn', 'fail', 'skip'],
    default: 'warn',
    affectsOutput: false,
    describe: "what to do with yesterday's bytes under today's name",
  },
} as const satisfies Record<string, RunOption>;
