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
  /** A longer response is not a report. */
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Asks for the report once more on each connection from which rows were written: responses come in the order of their
 * requests (RFC 9112 section 9.3), so where the next one is the report, those before it were in their places, and where
 * it is a batch's predictions, they were not. A connection that responds otherwise, or not in time, remains at risk.
 */
export async function checkLast(options: LastCheckOptions): Promise<void> {
  const { transport } = options;
  const checks = Array.from({ length: transport.connections.atRisk }, () => checkOne(options));
  // One that fails proves nothing.
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
  const turn = await pace.acquire(0, signal);
  const connection = connections.takeAtRisk();
  try {
    if (connection === undefined) return;
    const { origin } = connection;
    const response = await transport.open(call, signal, turn.onHeaders, connection);
    const body = await readBody(response.body, maxBytes);
    const parsed: unknown = JSON.parse(body?.toString('utf8') ?? 'null');
    if (Object(parsed)[wire.predictions] !== undefined) connections.suspect(origin);
    // A connection that was closed meanwhile was opened anew, which proves nothing of the one before.
    else if (looseReport.safeParse(parsed).success && connection.origin === origin) origin.proven();
  } finally {
    turn.release(false);
  }
}
