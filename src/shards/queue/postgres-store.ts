import type { QueueAddress } from './queue-address.ts';
import { ANSWER_MS, loadPackage, queueError, type Store } from './store.ts';

/** Our own schema, so that we share no tables with another program that uses BullMQ. */
const SCHEMA = 'rowcast';
/** Connections of a process: one for its own calls, one for those that a timer makes. */
const MAX_CONNECTIONS = 2;

/**
 * Connects to PostgreSQL, and makes our schema if it is not there. A connection that is lost later is made again.
 *
 * @throws RowcastError `missing_package`, `queue_unavailable`, `queue_refused`
 */
export async function openPostgres({ url, name }: QueueAddress): Promise<Store> {
  const needed = ['bullmq', 'pg'] as const;
  await loadPackage('pg', needed);
  const { PostgresConnection, PostgresQueueBackend } = await loadPackage('bullmq', needed);
  const connection = new PostgresConnection({
    connectionString: url,
    schema: SCHEMA,
    migrate: true,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: 2 * ANSWER_MS,
    application_name: 'rowcast',
  });
  // Without a listener, the error of a lost connection would end the process.
  connection.on('error', () => {});
  try {
    await connection.waitUntilReady();
  } catch (cause) {
    await connection.close().catch(() => {});
    throw queueError(cause, name);
  }
  return {
    connection: {},
    factory: (queue, options) =>
      // It takes the worker's intervals from the options, and nothing of its connection.
      new PostgresQueueBackend(connection, queue, { ...options, connection: connection.pool }, false),
    close: () => connection.close(),
  };
}
