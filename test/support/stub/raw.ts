import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';

/** What a server says: all at once, or chunk after chunk for as long as somebody takes it. */
export type Said = Iterable<string | Buffer>;

/** A server that says what it is told to, byte for byte, to whatever begins with a request; its base URL. */
export async function startRaw(t: TestContext, answer: (request: string) => Said): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // who has heard enough breaks off
    socket.on('data', data => {
      const request = data.toString('latin1');
      if (/^(GET|POST) /.test(request)) say(socket, answer(request));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // listening on a port, not on a path
  return `http://127.0.0.1:${port}`;
}

function say(socket: Socket, said: Said): void {
  Readable.from(said, { objectMode: true, highWaterMark: 1 }).pipe(socket, { end: false });
}

/** A whole answer with a body. */
export function* whole(body: string | Buffer, { status = 200, headers = '' } = {}): Said {
  yield `HTTP/1.1 ${status} x\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  yield body;
}

/** The same bytes again and again. */
export function* endless(first: string, chunk: string): Said {
  yield first;
  const bytes = Buffer.from(chunk);
  for (;;) yield bytes;
}

/** A list in a list, so many deep. */
export const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
