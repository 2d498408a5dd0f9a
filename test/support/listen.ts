import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Lets a server listen on a free port of this machine until the test ends. @returns its URL */
export async function listen(t: Pick<TestContext, 'after'>, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  return `http://127.0.0.1:${port}`;
}
