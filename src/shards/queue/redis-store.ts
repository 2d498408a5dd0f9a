import { checkRedis } from './check-redis.ts';
import { loadPackage } from './load-package.ts';
import type { QueueAddress } from './queue-address.ts';
import { ANSWER_MS, type Store } from './store.ts';
import { storeError } from './store-error.ts';

const MAX_RECONNECT_MS = 2_000;

/**
 * Connects to Redis. A connection that is lost later is made again; calls fail meanwhile.
 *
 * @param warn called with what is wrong with the server's settings
 * @throws RowcastError `missing_package`, `queue_unavailable`, `queue_refused`, `queue_evicts`
 */
export async function openRedis(
  { url, name }: QueueAddress,
  warn: (message: string) => void,
): Promise<Store> {
  const needed = ['bullmq', 'ioredis'] as const;
  const { Redis } = await loadPackage('ioredis', needed);
  const { createRedisBackend } = await loadPackage('bullmq', needed);
  let reason: unknown;
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: times => Math.min(100 * times, MAX_RECONNECT_MS),
    connectionName: 'rowcast',
  });
  // Without a listener, the error of a lost connection would end the process.
  client.on('error', cause => {
    reason ??= cause;
  });
  try {
    await client.connect();
    await checkRedis((...command) => client.call(...command), name, warn);
  } catch (cause) {
    client.disconnect();
    throw storeError(reason ?? cause, name);
  }
  return {
    connection: client,
    // No blocking connection: workers ask now and then.
    factory: (queue, options) => createRedisBackend(queue, options),
    async close() {
      client.disconnect();
    },
  };
}
