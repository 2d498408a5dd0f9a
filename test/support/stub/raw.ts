import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { listen } from '../listen.ts';

/** What a server sends: all at once, or chunk by chunk as long as the client reads. */
export type SentBytes = Iterable<string | Buffer>;

/** A server that sends given bytes in response to any request. @returns its base URL */
export async function startRaw(t: TestContext, respond: (request: string) => SentBytes): Promise<string> {
  const server = createServer(socket => {
    socket.on('data', data => {
      const request = data.toString('latin1');
      if (/^(GET|POST) /.test(request)) send(socket, respond(request));
    });
  });
  return listen(t, server);
}

function send(socket: Socket, bytes: SentBytes): void {
  Readable.from(bytes, { objectMode: true, highWaterMark: 1 }).pipe(socket, { end: false });
}

/** A complete response with a body. */
export function* whole(body: string | Buffer, { status = 200, headers = '' } = {}): SentBytes {
  yield `HTTP/1.1 ${status} x\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  yield body;
}

/** The same bytes, repeated endlessly. */
export function* endless(first: string, chunk: string): SentBytes {
  yield first;
  const bytes = Buffer.from(chunk);
  for (;;) yield bytes;
}

/** Nested lists, this many levels deep. */
export const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
