import { inputOptions } from './input.ts';
import type { Option } from './option.ts';

const { delimiter, quote } = inputOptions;

/** Options of `verify`. */
export const verifyOptions = {
  rejects: {
    kind: 'path',
    common: true,
    describe: 'the rejects file of the run',
    defaultText: 'OUTPUT.rejects, if it exists',
  },
  limit: { ...inputOptions.limit, describe: 'the --limit that the run had', defaultText: 'none' },
  delimiter,
  quote,
  'max-record-bytes': inputOptions['max-record-bytes'],
} as const satisfies Record<string, Option>;
