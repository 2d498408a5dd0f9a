import type { FastifyBaseLogger } from 'fastify';
import type { LoggedEvent } from '../../base/reference/events.ts';

/** At most one line per interval: during an attack there are thousands of events per second. */
const EVERY_MS = 10_000;

/**
 * Logs events by kind: the first immediately, then at most one line per 10 s with the count of each kind.
 *
 * @param log without it, nothing is logged
 * @param what the beginning of each line
 * @param texts the rest of it, for each kind, in the order of the table
 * @returns call this for each event
 */
export function eventLog<Kind extends string>(
  log: FastifyBaseLogger | undefined,
  event: LoggedEvent,
  what: string,
  texts: Readonly<Record<Kind, string>>,
): (kind: Kind) => void {
  if (log === undefined) return () => {};
  const counted = new Map<Kind, number>();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (counted.size === 0) return;
    const parts = kindsOf(texts).flatMap(kind => {
      const count = counted.get(kind);
      return count === undefined ? [] : [`${texts[kind]} (${count})`];
    });
    const counts = Object.fromEntries(counted);
    counted.clear();
    log.warn<object>({ event, ...counts }, `${what}: ${parts.join(', ')}`);
    timer = setTimeout(write, EVERY_MS).unref();
  };
  return kind => {
    counted.set(kind, (counted.get(kind) ?? 0) + 1);
    if (timer === undefined) write();
  };
}

/** The kinds of events that a table has texts of. `Object.keys` is typed as string[]. */
export const kindsOf = <Kind extends string>(texts: Readonly<Record<Kind, string>>): Kind[] =>
  Object.keys(texts) as Kind[];

/** Why TLS handshakes fail. */
export const handshakeFailures = {
  plain_http: 'used plain HTTP',
  protocol: 'offered no accepted version or cipher',
  alert: 'rejected by the client, which may not trust the certificate',
  timeout: 'timed out',
  closed: 'disconnected',
  other: 'failed for another reason',
} as const;

export type HandshakeFailure = keyof typeof handshakeFailures;

/**
 * Why the TLS handshake of a connection failed; undefined if something else did.
 *
 * @param error Node's error for the connection
 */
export function handshakeFailureOf({
  code = '',
  message,
}: NodeJS.ErrnoException): HandshakeFailure | undefined {
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return 'timeout';
  // Node's message for a connection that ends during its handshake; afterwards the message differs.
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'closed' : undefined;
  if (!code.startsWith('ERR_SSL_')) return undefined;
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'plain_http';
  if (code.includes('ALERT')) return 'alert';
  return /PROTOCOL|VERSION|CIPHER|SIGNATURE_ALGORITHM/.test(code) ? 'protocol' : 'other';
}
