import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { listen, portOf } from './listen.ts';

export interface ProxyOptions {
  /** `user:password` that it asks for. */
  credentials?: string;
  /** The status of its next responses, instead of connections; undefined: it connects. */
  refuse?: () => number | undefined;
  /** With these, it is an https proxy. */
  tls?: ServerOptions;
}

export interface StartedProxy {
  url: string;
  /** The URL with user and password. */
  secretUrl: string;
  /** Where tunnels were opened to. */
  tunnels: string[];
  /** The URLs of requests that it forwarded. */
  forwarded: string[];
  /** The headers of everything that it received. */
  heard: IncomingMessage['headers'][];
}

/** An HTTP proxy that opens tunnels (CONNECT), and forwards requests with a whole URL. */
export async function startProxy(
  t: TestContext,
  { credentials, refuse = () => undefined, tls }: ProxyOptions = {},
): Promise<StartedProxy> {
  const tunnels: string[] = [];
  const forwarded: string[] = [];
  const heard: IncomingMessage['headers'][] = [];
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const statusFor = ({ headers }: IncomingMessage): number | undefined => {
    heard.push(headers);
    return headers['proxy-authorization'] === expected ? refuse() : 407;
  };
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const status = statusFor(request);
    if (status !== undefined) return socket.end(`HTTP/1.1 ${status} x\r\ncontent-length: 0\r\n\r\n`);
    const target = request.url ?? '';
    tunnels.push(target);
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    return socket.on('close', () => upstream.destroy());
  });
  server.on('request', (request, response) => {
    const status = statusFor(request);
    if (status !== undefined) return response.writeHead(status).end();
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const { url = '' } = request;
    forwarded.push(url);
    const upstream = forward(url, { method: request.method, headers }, own => {
      response.writeHead(own.statusCode ?? 502, own.headers);
      own.pipe(response);
    });
    upstream.on('error', () => response.writeHead(502).end());
    return request.pipe(upstream);
  });
  await listen(t, server);
  const port = portOf(server);
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    secretUrl: `${scheme}://${credentials ?? ''}@127.0.0.1:${port}`,
    tunnels,
    forwarded,
    heard,
  };
}
