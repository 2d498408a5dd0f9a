import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { probabilitiesOf } from './service.ts';

/** A request as it came over the wire, and the connection to answer it on. */
export interface Exchange {
  /** Which connection, and which request on it; both from 1. */
  connection: number;
  number: number;
  id: string;
  path: string;
  body: string;
  /** What a service would answer. */
  response: string;
  write(bytes: string | Buffer): void;
  /** Answers some time later. */
  later(ms: number, bytes: string): void;
  /** Answers in pieces that arrive one by one. */
  inPieces(parts: readonly string[]): void;
}

/** A whole response with a JSON body. */
export function response(body: unknown, { status = 200, headers = '' } = {}): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} x\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** A prediction service that knows its requests, and answers them byte for byte as it is told to; its base URL. */
export async function startWire(t: TestContext, answer: (exchange: Exchange) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let connections = 0;
  const server = createServer(socket => {
    const connection = ++connections;
    let number = 0;
    let received = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // who has heard enough breaks off
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
      answer({
        connection,
        number: ++number,
        id: /^x-request-id: (\S+)/im.exec(head)?.[1] ?? '',
        body,
        path: head.split(' ')[1] ?? '',
        response: response(length === 0 ? { tech_specs: {}, drivers: [] } : predictionsOf(body)),
        write,
        later(ms, bytes) {
          timers.add(setTimeout(write, ms, bytes));
        },
        inPieces,
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const timer of timers) clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // listening on a port, not on a path
  return `http://127.0.0.1:${port}`;
}

function predictionsOf(body: string): unknown {
  const { id, personas } = JSON.parse(body);
  const predictions = personas.map(({ features }: { features: Record<string, unknown> }) => ({
    probabilities: probabilitiesOf(features, ['no', 'yes']),
  }));
  return { id, predictions };
}

/** The same response, with an X-Request-Id of its own. */
export const withId = (response: string, id: string): string =>
  response.replace('\r\n', `\r\nX-Request-Id: ${id}\r\n`);
