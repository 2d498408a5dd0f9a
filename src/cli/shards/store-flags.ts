import { storeOptions } from '../../base/options/store.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { writeRow } from '../../base/write-row.ts';
import { type Backends, backendsOf, type StoreValues } from '../../storage/backends.ts';

type Flags = Readonly<Record<string, unknown>>;

/** The flags that have another command reach stores as this one does. */
export function storeFlags({
  storeOptions,
  partBytes,
}: Pick<StoreValues, 'storeOptions' | 'partBytes'>): string[] {
  const map = Object.entries(storeOptions ?? {}).map(([name, value]) => `${name}=${value}`);
  return [
    ...(map.length === 0 ? [] : ['--store-options', writeRow(map).slice(0, -1)]),
    ...(partBytes === undefined ? [] : ['--part-bytes', String(partBytes)]),
  ];
}

/** The flags among those of a command that another command needs too to reach stores. */
export const storeFlagsOf = (flags: Flags): string[] => storeFlags(resolveValues(storeOptions, flags));

/** The options of stores in a section of a definition. */
export const storesIn = (defined: Flags): Flags =>
  Object.fromEntries(Object.entries(defined).filter(([name]) => name in storeOptions));

/** What the names in a sharded run belong to, as the flags of a command say. */
export const backendsOfFlags = (flags: Flags): Backends => backendsOf(resolveValues(storeOptions, flags));
