import { Contact } from '../../shards/queue/contact.ts';
import { openQueue } from '../../shards/queue/open-queue.ts';
import type { QueueAddress } from '../../shards/queue/queue-address.ts';
import type { ShardQueue } from '../../shards/queue/shard-queue.ts';
import type { Context } from '../context.ts';

export interface OpenedQueue {
  queue: ShardQueue;
  contact: Contact;
}

/** Opens a queue, and logs what is wrong with it. @throws RowcastError as `openQueue` */
export async function withQueue<T>(
  { log }: Pick<Context, 'log'>,
  address: QueueAddress,
  use: (opened: OpenedQueue) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(address, message => log.warn({ event: 'queue_settings' }, message));
  const contact = new Contact({
    onLost: ({ code, message }) =>
      log.warn(
        { event: 'queue_lost', code },
        `${message}; shards in progress go on, and the queue is tried again and again`,
      ),
    onFound: () => log.info({ event: 'queue_found' }, `the queue at ${queue.name} can be reached again`),
  });
  try {
    return await use({ queue, contact });
  } finally {
    await queue.close();
  }
}
