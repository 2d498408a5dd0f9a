import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that speaks in bytes, for what no client would send. */
export interface Line {
  socket: Socket;
  /** All that has come so far. */
  said(): string;
  /** Waits until what has come matches. */
  hears(what: RegExp): Promise<void>;
  /** All that came until the other side hung up. */
  ended: Promise<string>;
}

export async function dial(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  socket.on('error', () => {}); // cut off, which `ended` shows
  const ended = once(socket, 'close').then(() => text);
  await once(socket, 'connect');
  return {
    socket,
    said: () => text,
    ended,
    async hears(what) {
      while (!what.test(text)) await once(socket, 'data');
    },
  };
}
