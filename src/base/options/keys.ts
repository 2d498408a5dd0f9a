import type { Option } from './option.ts';

/** Options of `keys add`. */
export const keyOptions = {
  report: {
    kind: 'list',
    value: 'ID',
    common: true,
    repeatable: true,
    describe: 'report that the key grants access to; repeatable',
    defaultText: 'all',
  },
  scope: {
    kind: 'list',
    common: true,
    default: ['predict', 'report'],
    describe: 'what the key may: predict, report, testing-results, platform (the web pages)',
    defaultText: 'predict,report',
  },
  expires: {
    kind: 'duration',
    common: true,
    min: 1,
    max: 3_650 * 86_400,
    describe: 'how long the key is valid, such as 90d',
    defaultText: 'until it is revoked',
  },
} as const satisfies Record<string, Option>;
