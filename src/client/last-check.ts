import { looseReport } from '../contract/schemas.ts';
import type { Wire } from '../contract/wire-names.ts';
import type { Pacer } from './pacing/pacer.ts';
import type { Connections } from './transport/connections.ts';
import type { HttpRequest, Transport } from './transport/http.ts';
import { readBody } from './transport/response-body.ts';

export interface LastCheckOptions {
  transport: Pick<Transport, 'open'> & {
    connections: Pick<Connections, 'atRisk' | 'takeAtRisk' | 'suspect'>;
  };
  pacer: Pick<Pacer, 'acquire'>;
  wire: Wire;
  /** The request for the report. */
  request: HttpRequest;
  /** A larger response is not a report. */
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Requests the report once more on each connection whose responses were written to the output. Responses arrive in the
 * order of their requests (RFC 9112 section 9.3). If the next one is the report, all earlier ones were in order; if it
 * holds a batch's predictions, they were not. A connection that responds otherwise, or too late, remains at risk.
 */
export async function checkLast(options: LastCheckOptions): Promise<void> {
  const { transport } = options;
  const checks = Array.from({ length: transport.connections.atRisk }, () => checkOne(options));
  // A check that fails proves nothing.
  await Promise.allSettled(checks);
}

async function checkOne({
  transport,
  pacer: pace,
  wire,
  request: call,
  maxBytes,
  signal,
}: LastCheckOptions): Promise<void> {
  const { connections } = transport;
  const slot = await pace.acquire(0, signal);
  const connection = connections.takeAtRisk();
  try {
    if (connection === undefined) return;
    const { origin } = connection;
    const response = await transport.open(call, signal, slot.onHeaders, connection);
    const body = await readBody(response.body, maxBytes);
    const parsed: unknown = JSON.parse(body?.toString('utf8') ?? 'null');
    if (Object(parsed)[wire.predictions] !== undefined) connections.suspect(origin);
    // If the connection was closed and reopened in the meantime, this proves nothing about the old one.
    else if (looseReport.safeParse(parsed).success && connection.origin === origin) origin.proven();
  } finally {
    slot.release(false);
  }
}
