import type { RunOption } from './option.ts';

/** What `--store-options` may set. */
export const storeOptionNames = [
  'region',
  'endpoint',
  'path-style',
  'profile',
  'account',
  'unsigned',
  'requester-pays',
  'storage-class',
  'encryption',
  'encryption-key',
] as const;

export type StoreOptionName = (typeof storeOptionNames)[number];

/** How objects of a store are reached. */
export const storeAccess = {
  'store-options': {
    kind: 'map',
    affectsOutput: false,
    value: 'MAP',
    describe: `how object stores are reached: ${storeOptionNames.join(', ')}`,
    defaultText: "the store's own configuration",
  },
} as const satisfies Record<string, RunOption>;

/** How objects of a store are reached, read and written. */
export const storeOptions = {
  ...storeAccess,
  'part-bytes': {
    kind: 'size',
    affectsOutput: false,
    min: 5 << 20,
    max: 1 << 30,
    describe: 'size of a part of an upload to a store',
    defaultText: "from the input's size, else 32MiB",
  },
} as const satisfies Record<string, RunOption>;
