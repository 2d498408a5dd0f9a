import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { key } from '../secrets.ts';
import type { Scope } from '../shared.ts';

/** A request to the stub, and its default response. */
export interface StubCall {
  /** 1-based, counting all batch-persona requests. */
  number: number;
  request: IncomingMessage;
  response: ServerResponse;
  body: { id: string; personas: { features: Record<string, unknown> }[] };
  /** The default response. */
  defaultResponse: { id: string; predictions: { probabilities: Record<string, number> }[] };
}

export interface StubOptions {
  classes?: readonly string[];
  /** What GET /user/report/ID returns; tech specs and drivers are added if missing. */
  report?: object;
  /** Called for each request before the stub reads it, with the key unchecked; true means that it responds itself. */
  first?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Whether it accepts a request; by default one with its key. */
  accepts?: (request: IncomingMessage) => boolean;
  /** With these, it speaks https. */
  tls?: ServerOptions;
  /** Called first for each batch-persona request; true means that it responds itself. */
  behave?: (call: StubCall) => boolean | Promise<boolean>;
}

export interface Stub {
  url: string;
  key: string;
  /** The environment of a command that asks it. */
  env: { ROWCAST_URL: string; ROWCAST_API_KEY: string };
  /** The bodies of the batch-persona requests, in order. */
  bodies: StubCall['body'][];
  /** Closes all connections and accepts no new ones, until it returns to the same port. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A prediction service on a real socket without a model: a persona's probabilities are a hash of its features, so that
 * a row joined to another row's prediction is noticed.
 *
 * @param t closes it when the test ends; undefined: the caller does
 */
export async function startStub(t: Scope | undefined, options: StubOptions = {}): Promise<Stub> {
  const { classes = ['no', 'yes'], behave, tls } = options;
  const { accepts = ({ headers }) => headers.authorization === `ApiKey ${key}` } = options;
  const bodies: StubCall['body'][] = [];
  const listener: RequestListener = async (request, response) => {
    if (options.first?.(request, response)) return undefined;
    // A client may end its request early.
    const sent = await text(request).catch(() => undefined);
    if (sent === undefined) return undefined;
    if (!accepts(request)) return send(response, 401, { code: 'unauthorized' });
    if (request.url?.startsWith('/user/report/'))
      return send(response, 200, { tech_specs: {}, drivers: [], ...options.report });
    const body: StubCall['body'] = JSON.parse(sent);
    bodies.push(body);
    const predictions = body.personas.map(({ features }) => ({
      probabilities: probabilitiesOf(features, classes),
    }));
    const defaultResponse = { id: body.id, predictions };
    if (await behave?.({ number: bodies.length, request, response, body, defaultResponse })) return undefined;
    return send(response, 200, defaultResponse);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  const leave = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const stub: Stub = {
    url,
    key,
    env: { ROWCAST_URL: url, ROWCAST_API_KEY: key },
    bodies,
    goDown: leave,
    comeUp: () => listen(port),
    close: leave,
  };
  t?.after(leave);
  return stub;
}

/** Responds with JSON. */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** The stub's prediction: probabilities of two decimals that sum to 1 and differ from persona to persona. */
export function probabilitiesOf(
  features: Record<string, unknown>,
  classes: readonly string[],
): Record<string, number> {
  const text = JSON.stringify(Object.entries(features).sort(([a], [b]) => (a < b ? -1 : 1)));
  const digest = createHash('sha256').update(text).digest();
  const weights = classes.map((_, index) => 1 + (digest[index] ?? 0));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return Object.fromEntries(classes.map((name, index) => [name, (weights[index] ?? 0) / sum]));
}
