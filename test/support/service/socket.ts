import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A raw connection, for bytes that no client would send. */
export interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** Waits until the received text matches; rejects if the server closes the connection first. */
  receives(what: RegExp): Promise<void>;
  /** Everything received until the server closed the connection; rejects if it does not. */
  ended: Promise<string>;
}

/** Far longer than any limit that a test sets, but shorter than the service's defaults. */
const TIMEOUT_MS = 25_000;

export async function openConnection(url: string, localAddress?: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const from = localAddress === undefined ? {} : { localAddress };
  const socket = connect({ port: Number(port), host: hostname, ...from }).setEncoding('utf8');
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  socket.on('error', () => {}); // aborted, which `ended` shows
  let isLate = false;
  const guard = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, TIMEOUT_MS);
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const ended = closed.then(() => {
    clearTimeout(guard);
    if (isLate) throw new Error(`the connection was not closed; received: ${text}`);
    return text;
  });
  ended.catch(() => {}); // not every test waits for it
  await once(socket, 'connect');
  return {
    socket,
    received: () => text,
    ended,
    async receives(what) {
      while (!what.test(text)) {
        if (socket.closed) throw new Error(`${what} was not received, but: ${text}`);
        const more = new Promise<void>(resolve => socket.once('data', () => resolve()));
        await Promise.race([more, closed]);
      }
    },
  };
}

/** The head of a request. @param key in its Authorization header; none if omitted */
export const headOf = (
  line: string,
  { key }: { key?: string | undefined } = {},
  ...headers: readonly string[]
): string =>
  [
    `${line} HTTP/1.1`,
    'host: localhost',
    ...(key ? [`authorization: ApiKey ${key}`] : []),
    ...headers,
    '',
    '',
  ].join('\r\n');

/** The head of a request with JSON, whose client waits until the service asks for the body. */
export const headOfJson = (path: string, target: { key: string }, length: number): string =>
  headOf(
    `POST ${path}`,
    target,
    'content-type: application/json',
    `content-length: ${length}`,
    'expect: 100-continue',
  );

/** Sends a request over a connection of its own. @returns all that is received until the service closes it */
export async function exchange(url: string, request: string): Promise<string> {
  const line = await openConnection(url);
  line.socket.write(request);
  return line.ended;
}
