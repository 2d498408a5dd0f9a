import type { FastifyBaseLogger } from 'fastify';
import type { LoggedEvent } from '../../base/reference/events.ts';

/** At most one line per interval: during an attack there are thousands of events per second. */
const EVERY_MS = 10_000;

/** Logs events by kind: the first immediately, then at most one line per 10 s with the count of each kind. */
export class EventLog<Kind extends string> {
  readonly #log: FastifyBaseLogger;
  readonly #event: LoggedEvent;
  readonly #describe: (counts: Partial<Record<Kind, number>>) => string;
  readonly #counts = new Map<Kind, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    log: FastifyBaseLogger,
    event: LoggedEvent,
    describe: (counts: Partial<Record<Kind, number>>) => string,
  ) {
    this.#log = log;
    this.#event = event;
    this.#describe = describe;
  }

  add(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (this.#timer === undefined) this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    if (this.#counts.size === 0) return;
    // `fromEntries` loses the type of the names.
    const counts = Object.fromEntries(this.#counts) as Partial<Record<Kind, number>>;
    this.#counts.clear();
    this.#log.warn<object>({ event: this.#event, ...counts }, this.#describe(counts));
    this.#timer = setTimeout(() => this.#write(), EVERY_MS).unref();
  }
}

/** Why a TLS handshake failed. */
export type HandshakeFailure = keyof typeof texts;

const texts = {
  plain_http: 'used plain HTTP',
  protocol: 'offered no accepted version or cipher',
  alert: 'rejected by the client, which may not trust the certificate',
  timeout: 'timed out',
  closed: 'disconnected',
  other: 'failed for another reason',
} as const;

// `Object.keys` is typed as string[].
export const handshakeFailures = Object.keys(texts) as HandshakeFailure[];

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

/** The log message for the failures since the previous one. */
export function describeHandshakes(counts: Partial<Record<HandshakeFailure, number>>): string {
  const parts = handshakeFailures.flatMap(failure => {
    const count = counts[failure];
    return count === undefined ? [] : [`${count} ${texts[failure]}`];
  });
  return `TLS handshakes failed: ${parts.join(', ')}`;
}
