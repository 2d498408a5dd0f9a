import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a service that can be closed for a while, as in an outage, and stopped in the middle of a run. */
export interface Gate {
  url: string;
  /** Nobody is connected any more until it opens again. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Lets so many bytes of responses through, and nothing after them; the promise resolves when they have passed. */
  holdAfter(bytes: number): Promise<void>;
  release(): void;
  close(): void;
}

export async function openGate(port: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let onHeld: (() => void) | undefined;
  const listen = (): Server =>
    createServer(client => {
      const service = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, service],
        [service, client],
      ] as const) {
        sockets.add(from);
        from.on('error', () => {}); // either side may close early
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
        from.on('data', chunk => {
          to.write(chunk);
          if (from !== service) return;
          left -= chunk.length;
          if (left > 0) return;
          from.pause();
          onHeld?.();
        });
      }
    });
  let server = listen();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo; // it listens on a port, not on a path
  const shut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${own}`,
    async shut() {
      const closed = once(server, 'close');
      shut();
      await closed;
    },
    async open() {
      server = listen();
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
    holdAfter(bytes) {
      left = bytes;
      return new Promise(resolve => {
        onHeld = resolve;
      });
    },
    release() {
      left = Number.POSITIVE_INFINITY;
      onHeld = undefined;
      for (const socket of sockets) socket.resume();
    },
    close: shut,
  };
}
