import type { RunOption } from './option.ts';

/** What happens if the data has changed since the training. */
export const driftOptions = {
  'max-mismatches': {
    kind: 'threshold',
    affectsOutput: false,
    describe: 'stop the run when more than N values (or N%) of any one column do not fit its type',
    defaultText: 'warn only',
  },
  'max-unseen': {
    kind: 'threshold',
    affectsOutput: false,
    describe: 'stop the run when more than N values (or N%) of any one column are unknown categories',
    defaultText: 'warn only',
  },
  compare: {
    kind: 'path',
    value: 'SUMMARY',
    affectsOutput: false,
    describe: 'compare with the summary of an earlier run: population stability index per column and class',
  },
} as const satisfies Record<string, RunOption>;
