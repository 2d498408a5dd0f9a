import { type Backends, backendsFor, type StoreSettings } from '../../../src/storage/backends.ts';
import { nameInAgent } from './object-service.ts';

/** How a run of a test reaches a store. */
export interface StoreOfTest extends Omit<Partial<StoreSettings>, 'options'> {
  /** The name by which the hooks of the service know its requests. */
  client?: string;
}

/**
 * The usual backends, whose `s3://` is an object service. Its requests are signed with the keys of no account.
 *
 * @param endpoint of the service
 */
export function withObjectStore(
  endpoint: string,
  { client = 'test', ...settings }: StoreOfTest = {},
): Backends {
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
  return backendsFor({
    maxOutage: 10,
    leaseMs: 60_000,
    partBytes: 64 << 10,
    ...settings,
    options: { endpoint, agent: nameInAgent(client) },
  });
}
