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
