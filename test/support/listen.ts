import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Scope } from './shared.ts';

/**
 * Lets a server listen on a free port of this machine until the test ends, which breaks its connections.
 *
 * @returns its URL, as of a server without TLS
 */
export async function listen(t: Scope, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => {}); // the client may close early
      socket.on('close', () => sockets.delete(socket));
    });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port; // not a path

/** A port of 127.0.0.1 that nothing listens on, below those that Linux gives to the connections of other tests. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(12_000 * Math.random());
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').catch(() => false);
  if (isFree === false) return freePort();
  server.close();
  await once(server, 'close');
  return port;
}
