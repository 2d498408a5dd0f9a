import { BullQueue } from './bull-queue.ts';
import { loadPackage } from './load-package.ts';
import { openPostgres } from './postgres-store.ts';
import type { QueueAddress } from './queue-address.ts';
import { openRedis } from './redis-store.ts';
import type { ShardQueue } from './shard-queue.ts';

/**
 * Connects to a queue.
 *
 * @param warn called with what is wrong with the server's settings
 * @throws RowcastError `missing_package`, `queue_unavailable`, `queue_refused`, `queue_evicts`
 */
export async function openQueue(address: QueueAddress, warn: (message: string) => void): Promise<ShardQueue> {
  const store = await (address.kind === 'redis' ? openRedis(address, warn) : openPostgres(address));
  const bullmq = await loadPackage('bullmq', ['bullmq']);
  return new BullQueue(bullmq, store, address.name);
}
