import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where a server listens on this machine. */
export type Target = { port: number } | { path: string };

/** A way to a server that can be cut. */
export interface CuttableProxy {
  port: number;
  /** From now on, new connections lead to another server. */
  leadTo(target: Target): void;
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Lets no byte through, as a network that drops packets. */
  stall(): void;
  /** Undoes both. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxy(target: Target): Promise<CuttableProxy> {
  let to = target;
  const sockets = new Set<Socket>();
  let isStalled = false;
  const server = createServer(own => {
    const other = connect('port' in to ? { ...to, host: '127.0.0.1' } : to);
    for (const [from, into] of [
      [own, other],
      [other, own],
    ] as const) {
      sockets.add(from);
      from.pipe(into);
      from.on('error', () => {}); // the other side closed it
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
      if (isStalled) from.unpipe().pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  const leave = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    leadTo(other) {
      to = other;
    },
    cut: leave,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async restore() {
      // What was lost on the way does not come back.
      if (isStalled) for (const socket of sockets) socket.destroy();
      isStalled = false;
      if (!server.listening) {
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
      }
    },
    close: leave,
  };
}
