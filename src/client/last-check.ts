import { once, setMaxListeners } from 'node:events';
import type { Latencies } from '../base/contract/call-statistics.ts';
import { RowcastError } from '../base/errors.ts';
import type { Pacer } from './pacing/pacer.ts';
import type { Protocol } from './protocols/protocol.ts';
import type { Origins } from './transport/connection.ts';
import { startDeadline } from './transport/deadline.ts';
import type { Transport } from './transport/http.ts';
import type { HttpRequest } from './transport/http-request.ts';
import { MAX_RESPONSE_BYTES, readBody } from './transport/response-body.ts';

/**
 * How long a run waits at its end for the last responses, or for a surplus response: a multiple of the usual latency,
 * because requests that received the response to an earlier one took less time than they should have.
 */
const LAST_WAIT = { calls: 4, least: 200, most: 1_000 };

/**
 * Checks that no rows were written from a response that may belong to another request.
 *
 * @throws RowcastError `mixed_up_responses`, naming the first such row
 */
export function checkWrittenResponses({ firstSuspectRow: row }: Pick<Origins, 'firstSuspectRow'>): void {
  if (row === undefined) return;
  throw new RowcastError(
    'mixed_up_responses',
    `the service sent more responses on a connection than it got requests: from row ${row} on, rows may have predictions that belong to other rows`,
    {
      severity: 'stopped',
      location: { row },
      hint: 'The output was discarded. The service, or a proxy in front of it, mixes up responses; it should echo X-Request-Id.',
    },
  );
}

export interface LastCheckOptions {
  transport: Pick<Transport, 'open' | 'connections'>;
  pacer: Pick<Pacer, 'acquire'>;
  /** A request whose response differs from predictions, if the protocol has one. */
  request: HttpRequest | undefined;
  kindOf: Protocol['kindOf'];
  /** Latency of the requests so far. */
  latency: Pick<Latencies, 'percentile'>;
  /** Ends the check. */
  closed: AbortSignal;
}

/**
 * Checks all rows at the end of a run. If responses are matched to requests by order alone, a surplus response may
 * arrive only after the last one. A connection that has not proved to be in order is watched for a while.
 */
export async function checkLast(options: LastCheckOptions): Promise<void> {
  const { connections } = options.transport;
  const calls = LAST_WAIT.calls * options.latency.percentile(99);
  const ms = Math.min(LAST_WAIT.most, Math.max(LAST_WAIT.least, calls));
  const deadline = startDeadline(ms, options.closed);
  const { signal } = deadline;
  // One request per connection listens to it at the same time.
  setMaxListeners(0, signal);
  try {
    await checkIdle(options, signal);
    if (connections.atRisk > 0 && !signal.aborted) await once(signal, 'abort');
  } finally {
    deadline.release();
  }
  checkWrittenResponses(connections.origins);
}

/**
 * Requests the description once more on each connection whose responses were written to the output. Responses arrive in
 * the order of their requests (RFC 9112 section 9.3). If the next one is the description, all earlier ones were in
 * order; if it holds a batch's predictions, they were not. A connection that responds otherwise, or too late, remains
 * at risk.
 */
async function checkIdle(options: LastCheckOptions, signal: AbortSignal): Promise<void> {
  const { transport, request } = options;
  if (request === undefined) return;
  const checks = Array.from({ length: transport.connections.atRisk }, () =>
    checkOne(options, request, signal),
  );
  // A check that fails proves nothing.
  await Promise.allSettled(checks);
}

async function checkOne(
  { transport, pacer, kindOf }: LastCheckOptions,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<void> {
  const { connections } = transport;
  const slot = await pacer.acquire(0, signal);
  const connection = connections.takeAtRisk();
  try {
    if (connection?.origin === undefined) return;
    const { origin } = connection;
    const response = await transport.open(request, signal, slot.onHeaders, connection);
    const body = await readBody(response.body, MAX_RESPONSE_BYTES);
    if (body === undefined) return;
    const kind = kindOf(body);
    if (kind === 'predictions') connections.origins.suspect(origin);
    // If the connection was closed and reopened in the meantime, this proves nothing about the old one.
    else if (kind === 'description' && connection.origin === origin) origin.firstRow = undefined;
  } finally {
    slot.release(false);
  }
}
