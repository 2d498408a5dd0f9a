import type { RunOption } from './option.ts';

/** The word for the last good run, in place of a summary. */
export const LAST = 'last';

/** When a run stops because the model does not recognize its values. */
export const driftLimits = {
  'max-mismatches': {
    kind: 'threshold',
    orNone: true,
    affectsOutput: false,
    describe:
      'stop the run when more than N values (or N%) of any one column do not fit its type; none: no limit',
    defaultText: '50%, of columns that matter',
  },
  'max-missing': {
    kind: 'threshold',
    orNone: true,
    affectsOutput: false,
    describe: 'stop the run when more than N values (or N%) of any one column are missing; none: no limit',
    defaultText: '50%, of columns that matter and had far fewer in training',
  },
  'max-unseen': {
    kind: 'threshold',
    orNone: true,
    affectsOutput: false,
    describe:
      'stop the run when more than N values (or N%) of any one column are unknown categories; none: no limit',
    defaultText: '50%, of columns that matter',
  },
} as const satisfies Record<string, RunOption>;

/** What happens if the data has changed since the training. */
export const driftOptions = {
  ...driftLimits,
  'max-drift': {
    kind: 'number',
    min: 0,
    affectsOutput: false,
    describe:
      'stop the run, before its output appears, if a column or the predictions have changed by more than this population stability index since the run of --compare, such as 0.25',
  },
  compare: {
    kind: 'path',
    value: 'SUMMARY|last',
    word: LAST,
    affectsOutput: false,
    describe:
      'compare with the summary of an earlier run, or with the last good run of this output: population stability index per column and class',
  },
  'min-rows': {
    kind: 'threshold',
    affectsOutput: false,
    describe:
      'stop the run before its output appears when there are fewer than N rows, or N% of the last good run',
    defaultText: 'none',
  },
  'if-same-as-last': {
    kind: 'text',
    choices: ['warn', 'fail', 'skip'],
    default: 'warn',
    affectsOutput: false,
    describe:
      "what to do when the input has the bytes of the last good run's: yesterday's file under today's name",
  },
} as const satisfies Record<string, RunOption>;
