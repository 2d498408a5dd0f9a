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
