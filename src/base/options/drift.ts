import type { RunOption } from './option.ts';

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
    value: 'SUMMARY',
    affectsOutput: false,
    describe: 'compare with the summary of an earlier run: population stability index per column and class',
  },
} as const satisfies Record<string, RunOption>;
