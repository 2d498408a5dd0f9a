import type { BackendFactory, ConnectionOptions } from 'bullmq';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/** An open connection to the server that has the jobs. */
export interface Store {
  /** How BullMQ's classes use it. */
  factory: BackendFactory;
  connection: ConnectionOptions;
  close(): Promise<void>;
}

/** How long to wait for an answer of the server. */
export const ANSWER_MS = 5_000;

/** Before the name of every key in Redis. */
const PREFIX = 'rowcast';

/**
 * How long after the last sign of life of its worker a job is given out again, and how often that is looked for:
 * together less than the lease in the folder (`LEASE_MS`), which runs out at the same time.
 */
export const LOCK_MS = 5_000;
const STALLED_MS = 2_000;
/** A job may be given out any number of times: the folder counts the attempts. */
const MAX_STALLED = 1_000_000_000;

/** The jobs with a name. */
export function newQueue({ Queue }: BullMq, { connection, factory }: Store, name: string) {
  const queue = new Queue(name, { connection, prefix: PREFIX }, factory);
  // Calls report the same.
  queue.on('error', () => {});
  return queue;
}
export type Jobs = ReturnType<typeof newQueue>;

/** What takes jobs with a name, and puts back those of workers that died. */
export function newTaker({ Worker }: BullMq, { connection, factory }: Store, name: string) {
  const intervals = { lockDuration: LOCK_MS, stalledInterval: STALLED_MS, maxStalledCount: MAX_STALLED };
  const options = { connection, prefix: PREFIX, autorun: false, ...intervals };
  // Without a connection that waits for jobs: this process asks now and then.
  const taker = new Worker(name, null, options, (queue, all) => factory(queue, all));
  taker.on('error', () => {});
  return taker;
}
export type Taker = ReturnType<typeof newTaker>;

/** Why Redis or PostgreSQL refuses us: user, password, database, permissions. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid (password|DB)|ERR AUTH|ERR DB index)/;
/** Classes of SQLSTATE: invalid authorization, invalid catalog name, access rule violation. */
const REFUSED_STATE = /^(28|3D|42501)/;

/** What goes wrong with a store, as an error that a user can act on. It does not contain the password. */
export function queueError(cause: unknown, name: string): RowcastError {
  if (cause instanceof RowcastError) return cause;
  const { code, message } = described(cause);
  if (REFUSED.test(message) || REFUSED_STATE.test(code ?? ''))
    return new RowcastError('queue_refused', `the queue at ${name} refuses access: ${sanitize(message)}`, {
      hint: 'Check user, password, database and permissions. A URL with a password goes in ROWCAST_QUEUE.',
      cause,
    });
  if (/Schema(Migration|Version)|UnsupportedPostgres/.test((cause as Error | undefined)?.name ?? ''))
    return new RowcastError('queue_refused', `the queue at ${name} cannot be used: ${sanitize(message)}`, {
      hint: 'Install the same version of bullmq on all machines, or use another database.',
      cause,
    });
  return new RowcastError('queue_unavailable', `cannot reach the queue at ${name}: ${sanitize(message)}`, {
    severity: 'temporary',
    hint: 'Check that the server is running and can be reached from this machine.',
    cause,
  });
}

/** An error for each address that was tried is one error with the first of them. */
function described(cause: unknown): { code: string | undefined; message: string } {
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const { code, message } = (inner ?? {}) as NodeJS.ErrnoException;
  return { code, message: message || code || String(inner) };
}

/** Rejects with a `queueError`. */
export async function call<T>(name: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    throw queueError(cause, name);
  }
}

/** The packages that a queue needs. They are not installed with rowcast, because few runs need them. */
const loaders = {
  bullmq: (): Promise<BullMq> => import('bullmq'),
  ioredis: () => import('ioredis'),
  // Only BullMQ uses it.
  pg: (): Promise<unknown> => import('pg' as string),
};

type Name = keyof typeof loaders;

export type BullMq = typeof import('bullmq');

/**
 * Loads a package that only those install who use a queue.
 *
 * @param all what has to be installed together
 * @throws RowcastError `missing_package` with the command that installs it
 */
export async function loadPackage<N extends Name>(
  name: N,
  all: readonly Name[],
): Promise<Awaited<ReturnType<(typeof loaders)[N]>>> {
  try {
    return (await loaders[name]()) as Awaited<ReturnType<(typeof loaders)[N]>>; // of this name
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause; // an error of import()
    throw new RowcastError('missing_package', `a queue needs the package ${name}, which is not installed`, {
      hint: `Install it next to rowcast: npm install ${all.join(' ')} (with -g if rowcast was installed with -g).`,
      cause,
    });
  }
}
