import { createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { listen } from '../listen.ts';
import { probabilitiesOf } from './service.ts';

/** A request as received, and the connection for the response. */
export interface Exchange {
  /** Number of the connection, and of the request on it; both from 1. */
  connection: number;
  number: number;
  id: string;
  path: string;
  body: string;
  /** What a service would respond. */
  response: string;
  write(bytes: string | Buffer): void;
  /** Responds some time later. */
  later(ms: number, bytes: string): void;
  /** Responds in chunks that arrive one by one. */
  inPieces(parts: readonly string[]): void;
}

/** A complete response with a JSON body. */
export const response = (body: unknown, { status = 200, headers = '' } = {}): string =>
  textResponse(JSON.stringify(body), { status, headers });

/** A complete response with any body. */
export function textResponse(text: string, { status = 200, headers = '' } = {}): string {
  return `HTTP/1.1 ${status} x\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** A prediction service that parses its requests and sends given bytes in response. @returns its base URL */
export async function startWire(
  t: TestContext,
  respond: (exchange: Exchange) => void,
  service: Answers = reportAnswers,
  tls?: TlsOptions,
): Promise<string> {
  const timers = new Set<NodeJS.Timeout>();
  let connections = 0;
  const serve = (socket: Socket): void => {
    const connection = ++connections;
    let number = 0;
    let received = '';
    socket.on('data', data => {
      received += data.toString('latin1');
      const end = received.indexOf('\r\n\r\n') + 4;
      if (end < 4) return;
      const head = received.slice(0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (received.length < end + length) return;
      const body = received.slice(end, end + length);
      received = received.slice(end + length);
      const write = (bytes: string | Buffer): void => {
        if (socket.writable) socket.write(bytes);
      };
      const inPieces = ([first = '', ...rest]: readonly string[]): void => {
        write(first);
        if (rest.length > 0) timers.add(setTimeout(inPieces, 1, rest));
      };
      respond({
        connection,
        number: ++number,
        id: /^x-request-id: (\S+)/im.exec(head)?.[1] ?? '',
        body,
        path: head.split(' ')[1] ?? '',
        response: length === 0 ? service.description : service.predictions(body),
        write,
        later(ms, bytes) {
          timers.add(setTimeout(write, ms, bytes));
        },
        inPieces,
      });
    });
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  t.after(() => {
    for (const timer of timers) clearTimeout(timer);
  });
  const url = await listen(t, server);
  return tls === undefined ? url : url.replace('http', 'https');
}

/** What a service responds to requests without and with a body. */
export interface Answers {
  description: string;
  predictions(body: string): string;
}

const reportAnswers: Answers = {
  description: response({ tech_specs: {}, drivers: [] }),
  predictions: body => response(predictionsOf(body)),
};

function predictionsOf(body: string): unknown {
  const { id, personas } = JSON.parse(body);
  const predictions = personas.map(({ features }: { features: Record<string, unknown> }) => ({
    probabilities: probabilitiesOf(features, ['no', 'yes']),
  }));
  return { id, predictions };
}

/** The same response with its own X-Request-Id. */
export const withId = (response: string, id: string): string =>
  response.replace('\r\n', `\r\nX-Request-Id: ${id}\r\n`);
