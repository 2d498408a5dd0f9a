import { RowcastError } from '../../base/errors.ts';
import type { QueueAddress } from './queue-address.ts';
import { ANSWER_MS, loadPackage, queueError, type Store } from './store.ts';

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
    throw queueError(reason ?? cause, name);
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

/** Sends a command to Redis. */
type SendRedis = (name: string, ...args: string[]) => Promise<unknown>;

/** Settings of a Redis server; undefined for those that it does not tell. */
interface RedisSettings {
  eviction: string | undefined;
  isPersistent: boolean | undefined;
}

/**
 * Checks that Redis keeps the jobs.
 *
 * @param warn called if it loses them when it is restarted
 * @throws RowcastError `queue_evicts` if it removes them when its memory is full
 */
async function checkRedis(send: SendRedis, name: string, warn: (message: string) => void): Promise<void> {
  const { eviction, isPersistent } = await readSettings(send);
  if (eviction !== undefined && eviction !== 'noeviction')
    throw new RowcastError(
      'queue_evicts',
      `Redis at ${name} removes keys when its memory is full (maxmemory-policy is ${eviction})`,
      { hint: 'Run redis-cli config set maxmemory-policy noeviction, and set it in redis.conf too.' },
    );
  if (isPersistent === false)
    warn(
      `Redis at ${name} forgets its jobs when it is restarted, because it has neither AOF nor snapshots; the command that planned a run then adds them again. To keep them: redis-cli config set appendonly yes`,
    );
}

/** Hosted servers may refuse CONFIG; INFO tells less. */
async function readSettings(send: SendRedis): Promise<RedisSettings> {
  const config = async (name: string): Promise<string | undefined> => {
    const found = await send('CONFIG', 'GET', name).catch(() => undefined);
    return Array.isArray(found) && typeof found[1] === 'string' ? found[1] : undefined;
  };
  const memory = String(await send('INFO', 'memory'));
  const persistence = String(await send('INFO', 'persistence'));
  const snapshots = await config('save');
  return {
    eviction: fieldOf(memory, 'maxmemory_policy') ?? (await config('maxmemory-policy')),
    isPersistent:
      fieldOf(persistence, 'aof_enabled') === '1' || (snapshots === undefined ? undefined : snapshots !== ''),
  };
}

const fieldOf = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
