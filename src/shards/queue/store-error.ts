import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/** Why Redis or PostgreSQL refuses us: user, password, database, permissions. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid (password|DB)|ERR AUTH|ERR DB index)/;
/** Classes of SQLSTATE: invalid authorization, invalid catalog name, access rule violation. */
const REFUSED_STATE = /^(28|3D|42501)/;

/** What goes wrong with a store, as an error that a user can act on. It does not contain the password. */
export function storeError(cause: unknown, name: string): RowcastError {
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

/** Rejects with a `storeError`. */
export async function call<T>(name: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (cause) {
    throw storeError(cause, name);
  }
}
