import type { Option } from './option.ts';

/** Lets a definition do what one from somebody else may not do. */
const trustOption = {
  'trust-definition': {
    kind: 'boolean',
    common: true,
    default: false,
    describe: 'the definition is your own: it may use any file, stores, and keys of this machine',
  },
} as const satisfies Record<string, Option>;

/** What definitions are run with, besides flags that override them. */
export const definitionOptions = {
  ...trustOption,
  set: {
    kind: 'text',
    value: 'PATH=VALUE',
    repeatable: true,
    describe: 'override a member of the definition, such as train.seed=7; may be repeated',
  },
} as const satisfies Record<string, Option>;

export const dryRunOption = {
  'dry-run': {
    kind: 'boolean',
    common: true,
    default: false,
    describe: 'print the plans of the definitions instead of running them; reports are not trained',
  },
} as const satisfies Record<string, Option>;

/** Names a definition, for commands that look at its runs. */
export const definitionOption = {
  definition: {
    kind: 'path',
    describe: 'use the options in this definition, unless flags override them',
    defaultText: 'none',
  },
  ...trustOption,
} as const satisfies Record<string, Option>;
