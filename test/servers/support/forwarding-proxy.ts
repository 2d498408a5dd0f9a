import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request to a server, and its response. */
export interface Exchange {
  method: string;
  path: string;
  /** The content type of the request, if it has a body. */
  type?: string | undefined;
  body: string;
  response: { status: number; type?: string | undefined; body: string };
}

/** What is between rowcast and a server, and sees all requests. */
export interface ForwardingProxy {
  url: string;
  exchanges: Exchange[];
  close(): Promise<void>;
}

/** @param target the URL of the server */
export async function startForwardingProxy(target: string): Promise<ForwardingProxy> {
  const exchanges: Exchange[] = [];
  const agent = new Agent({ keepAlive: false });
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = await buffer(request);
    const forwarded = send(`${target}${path}`, {
      method,
      headers: { ...headers, connection: 'close' },
      agent,
    });
    forwarded.end(body);
    const [answer] = await once(forwarded, 'response');
    const bytes = await buffer(answer);
    const type: string | undefined = answer.headers['content-type'];
    exchanges.push({
      method,
      path,
      type: headers['content-type'],
      body: body.toString(),
      response: { status: answer.statusCode, type, body: bytes.toString() },
    });
    response.writeHead(answer.statusCode, type === undefined ? {} : { 'content-type': type }).end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    async close() {
      server.closeAllConnections();
      await new Promise(done => server.close(done));
    },
  };
}
