import type { Socket } from 'node:net';
import { connectReason } from '../../base/connection-error.ts';
import type { Connector } from './connection.ts';

/** A proxy between here and a service. */
export interface HttpProxy {
  protocol: 'http:' | 'https:';
  /** A name or an address, without brackets. */
  hostname: string;
  port: number;
  /** The value of Proxy-Authorization (RFC 9110 section 11.7.2). */
  authorization?: string;
  /** The password, in all forms in which it could be repeated. */
  secrets: readonly string[];
}

const PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * A proxy from its URL, or from `HOST:PORT` as variables often have it.
 *
 * @returns undefined if it is neither http nor https, or names more than a host
 */
export function readProxy(text: string): HttpProxy | undefined {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  const place = {
    protocol: protocol as HttpProxy['protocol'], // compared above
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || PORTS[protocol]),
  };
  if (username === '' && password === '') return { ...place, secrets: [] };
  const plain = decoded(password);
  const both = Buffer.from(`${decoded(username)}:${plain}`).toString('base64');
  return { ...place, authorization: `Basic ${both}`, secrets: [both, password, plain] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A proxy for messages, without user and password. */
export const nameOfProxy = ({ protocol, hostname, port }: HttpProxy): string =>
  `${protocol}//${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;

/** The proxy cannot be reached, or cannot reach the service now. */
export class ProxyUnreachable extends Error {
  override readonly name = 'ProxyUnreachable';
  /** The proxy, without user and password. */
  readonly proxy: string;

  constructor(proxy: string, message: string, cause?: Error) {
    super(`the proxy ${proxy} ${message}`, { cause });
    this.proxy = proxy;
  }
}

/** The proxy does not connect this client to the service, and will not later. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  readonly status: number;

  constructor(proxy: string, status: number) {
    super(`the proxy ${proxy} responded with ${status}, not with a connection to the service`);
    this.status = status;
  }
}

interface ThroughProxyOptions {
  /** Opens connections to the proxy, and to the service. */
  toProxy: Connector;
  toService: Connector;
  /** How long to wait for the response of the proxy, in milliseconds. */
  timeout: number;
}

/**
 * Opens connections through a proxy. One to an https service is a tunnel (RFC 9110 section 9.3.6): everything in it is
 * between us and the service, so a tunnel is one connection to the service, as without a proxy. For an http service,
 * the connection is the one to the proxy, which is then sent requests with the whole URL (RFC 9112 section 3.2.2).
 */
export function throughProxy(
  proxy: HttpProxy,
  { toProxy, toService, timeout }: ThroughProxyOptions,
): Connector {
  const { protocol, hostname, port } = proxy;
  const name = nameOfProxy(proxy);
  const place = { protocol, hostname, host: hostname, port: String(port) };
  return (target, callback) =>
    toProxy(place, (...[error, socket]) => {
      if (error !== null) {
        const reason = connectReason(error) ?? error.message;
        callback(new ProxyUnreachable(name, `cannot be reached: ${reason}`, error), null);
      } else if (target.protocol === 'http:') callback(null, socket);
      else
        openTunnel(socket, authorityOf(target), { proxy, timeout }).then(
          tunnel => toService({ ...target, httpSocket: tunnel }, callback),
          (error: Error) => {
            socket.destroy();
            callback(error, null);
          },
        );
    });
}

/** Host and port, as a tunnel needs them: always with a port. */
const authorityOf = ({ hostname, port }: Pick<URL, 'hostname' | 'port'>): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port || '443'}`;

/** Statuses of a proxy that may be others later (RFC 9110 section 15, RFC 6585 section 4). */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** @throws ProxyUnreachable, ProxyRefused */
async function openTunnel(
  socket: Socket,
  authority: string,
  { proxy, timeout }: Pick<ThroughProxyOptions, 'timeout'> & { proxy: HttpProxy },
): Promise<Socket> {
  const name = nameOfProxy(proxy);
  // Loaded only when it is needed.
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const connect = request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        'proxy-connection': 'keep-alive',
        ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
      },
      createConnection: () => socket,
    });
    const timer = setTimeout(
      () => connect.destroy(new Error(`no response within ${timeout / 1000} s`)),
      timeout,
    );
    connect
      .on('error', error => {
        clearTimeout(timer);
        reject(new ProxyUnreachable(name, `opened no connection: ${error.message}`, error));
      })
      .on('connect', ({ statusCode = 0 }, tunnel: Socket, head: Buffer) => {
        clearTimeout(timer);
        const isOpen = statusCode >= 200 && statusCode < 300;
        // A TLS server waits for its client: what comes before is not from the service.
        if (isOpen && head.length === 0) resolve(tunnel);
        else if (isOpen) reject(new ProxyUnreachable(name, 'sent more than it announced'));
        else if (isPassing(statusCode)) reject(new ProxyUnreachable(name, `responded with ${statusCode}`));
        else reject(new ProxyRefused(name, statusCode));
      })
      .end();
  });
}

/** The hint for a proxy that wants to know who asks. */
export const PROXY_ASKS =
  'Put user and password of the proxy into the URL in HTTPS_PROXY or HTTP_PROXY, and use --proxy env.';
