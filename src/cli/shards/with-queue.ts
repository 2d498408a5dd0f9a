import { RowcastError } from '../../base/errors.ts';
import { openQueue, type ShardQueue } from '../../shards/queue/bull-queue.ts';
import { QUEUE_VARIABLE, type QueueAddress } from '../../shards/queue/queue-address.ts';
import { QueueMonitor } from '../../shards/queue/shard-queue.ts';
import type { Context } from '../context.ts';

export interface OpenedQueue {
  queue: ShardQueue;
  monitor: QueueMonitor;
}

/** Opens a queue, and logs what is wrong with it. @throws RowcastError as `openQueue` */
export async function withQueue<T>(
  { log }: Pick<Context, 'log'>,
  address: QueueAddress,
  use: (opened: OpenedQueue) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(address, message => log.warn({ event: 'queue_settings' }, message));
  const monitor = new QueueMonitor({
    onLost: ({ code, message }) =>
      log.warn(
        { event: 'queue_lost', code },
        `${message}; it is tried again and again. Shards in progress go on`,
      ),
    onFound: () => log.info({ event: 'queue_found' }, `the queue at ${queue.name} can be reached again`),
  });
  try {
    return await use({ queue, monitor });
  } finally {
    await queue.close();
  }
}

/** Says in an error why there is a queue, if no flag asks for one. */
export function explainQueue(error: unknown, { flags, env }: Pick<Context, 'flags' | 'env'>): void {
  if (!(error instanceof RowcastError) || flags.queue !== undefined || !env.ROWCAST_QUEUE) return;
  if (error.code !== 'usage' && error.code !== 'missing_package' && !error.code.startsWith('queue_')) return;
  const how = `A queue is used because ${QUEUE_VARIABLE} is set; --queue none does without it.`;
  error.hint = error.hint === undefined ? how : `${error.hint} ${how}`;
}
