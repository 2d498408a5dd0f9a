import type { Backend } from '../backend.ts';
import { type ObjectSettings, objectBackend } from '../objects/object-backend.ts';
import type { StoreOptions } from './store-options.ts';

export interface StoreSettings extends ObjectSettings {
  options?: StoreOptions | undefined;
  /** URLs that may hold a secret, by the names that are shown instead. */
  secretUrls?: ReadonlyMap<string, string> | undefined;
  /** The name of the program that requests carry. */
  agent?: string | undefined;
}

/**
 * The backends of object stores, by scheme. What talks to a store is loaded when the first name needs it.
 */
export function storeBackends({
  options = {},
  agent = 'rowcast',
  secretUrls,
  ...settings
}: StoreSettings): [string, Backend][] {
  const s3 = objectBackend(async () => (await import('./s3/s3-store.ts')).s3Store(options, agent), settings);
  const google = objectBackend(
    async () => (await import('./google/google-store.ts')).googleStore(options, agent),
    settings,
  );
  const azure = objectBackend(
    async () => (await import('./azure/azure-store.ts')).azureStore(options, agent),
    settings,
  );
  const https = objectBackend(
    async () => (await import('./https/https-store.ts')).httpsStore(agent, secretUrls),
    settings,
  );
  return [
    ['s3', s3],
    ['gs', google],
    ['az', azure],
    ['abfss', azure],
    ['https', https],
    ['http', https],
  ];
}
