import type { Option } from './option.ts';

/** What `plan` shows besides what follows from the input. */
export const planOptions = {
  probe: {
    kind: 'integer',
    value: 'N',
    common: true,
    default: 0,
    max: 100,
    describe: 'make up to N requests, and show what was understood, latency, and the time of the run',
    defaultText: 'none',
  },
  'show-request': {
    kind: 'boolean',
    common: true,
    default: false,
    describe: 'print the body of the first request to stdout, and nothing else',
  },
  'price-per-1000': {
    kind: 'number',
    value: 'X',
    describe: 'price of 1,000 rows, to show the cost',
  },
} as const satisfies Record<string, Option>;
