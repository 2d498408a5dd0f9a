import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that speaks in bytes, for what no client would send. */
export interface Line {
  socket: Socket;
  /** All that has come so far. */
  said(): string;
  /** Waits until what has come matches; rejects when the other side hangs up before. */
  hears(what: RegExp): Promise<void>;
  /** All that came until the other side hung up; rejects when it does not. */
  ended: Promise<string>;
}

/** Far longer than any limit that a test sets, and shorter than the service's own. */
const PATIENCE_MS = 25_000;

export async function dial(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  socket.on('error', () => {}); // cut off, which `ended` shows
  let isLate = false;
  const guard = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, PATIENCE_MS);
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const ended = closed.then(() => {
    clearTimeout(guard);
    if (isLate) throw new Error(`nobody hung up; what came is: ${text}`);
    return text;
  });
  ended.catch(() => {}); // not every test waits for it
  await once(socket, 'connect');
  return {
    socket,
    said: () => text,
    ended,
    async hears(what) {
      while (!what.test(text)) {
        if (socket.closed) throw new Error(`${what} did not come, but: ${text}`);
        const more = new Promise<void>(resolve => socket.once('data', () => resolve()));
        await Promise.race([more, closed]);
      }
    },
  };
}
