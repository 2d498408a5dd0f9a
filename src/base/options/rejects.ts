import type { RunOption } from './option.ts';

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
    affectsOutput: false,
    common: true,
    describe: 'stop the run when more than N rows (or N%) are rejected',
    defaultText: 'no limit',
  },
  'rejects-ok': {
    kind: 'threshold',
    affectsOutput: false,
    common: true,
    describe: 'exit 0 instead of 1 if at most N rows (or N%) were rejected',
  },
} as const satisfies Record<string, RunOption>;
