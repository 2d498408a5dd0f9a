import { Readable } from 'node:stream';
import type { RowcastError } from '../../base/errors.ts';
import { redacted } from '../base-url.ts';
import type { Credentials } from '../credentials.ts';
import type { Headers } from '../pacing/rate-limit-headers.ts';
import { CallErrors, type CallErrorsOptions, MAX_HEADER_BYTES } from './call-errors.ts';
import type { HttpConnection, HttpResponse } from './connection.ts';
import { HttpConnections } from './connections.ts';
import type { HttpProxy } from './http-proxy.ts';
import {
  type HttpRequest,
  type OpenResponse,
  RequestIds,
  type RequestLocation,
  sentIdHeader,
} from './http-request.ts';
import { speaksTls } from './permanent-errors.ts';
import { isEncoded, readBody } from './response-body.ts';
import { TlsExpected } from './socket-guard.ts';
import type { ClientTls } from './tls.ts';

export interface TransportOptions extends Omit<CallErrorsOptions, 'credentials'> {
  /** Base URL, from `readBaseUrl`. */
  url: URL;
  /** What all requests prove to the service who asks with. */
  credentials: Credentials;
  /** Timeout of connecting, and of one request, in milliseconds. */
  timeout: number;
  /** Maximum number of connections. */
  connections: number;
  tls?: ClientTls | undefined;
  proxy?: HttpProxy | undefined;
}

/**
 * Sends requests over HTTP and classifies their failures. Redirects are not followed, so that the key stays with its
 * host.
 */
export class Transport {
  readonly timeout: number;
  readonly failures: CallErrors;
  readonly credentials: Credentials;
  readonly #connections: HttpConnections;
  readonly #ids = new RequestIds();
  /** The path of the base URL. */
  readonly #root: string;
  /** What requests put before their own path. */
  readonly #base: string;
  readonly #address: string;
  readonly #url: URL;
  readonly #proxy: HttpProxy | undefined;
  /** What only the proxy reads; a tunnel has it in its own request. */
  readonly #proxyHeaders: Readonly<Record<string, string>>;
  #hasResponded = false;
  #isClosed = false;

  constructor({ url, credentials, timeout, connections, tls, proxy, ...errors }: TransportOptions) {
    this.timeout = timeout;
    this.failures = new CallErrors({ ...errors, credentials });
    this.credentials = credentials;
    this.#url = url;
    const isForProxy = proxy !== undefined && url.protocol === 'http:';
    this.#root = url.pathname === '/' ? '' : url.pathname;
    this.#base = `${isForProxy ? url.origin : ''}${this.#root}`;
    this.#proxy = proxy;
    this.#proxyHeaders =
      isForProxy && proxy.authorization !== undefined ? { 'proxy-authorization': proxy.authorization } : {};
    this.#address = redacted(url.href);
    this.#connections = new HttpConnections({
      origin: url.origin,
      max: connections,
      timeout,
      maxHeaderBytes: MAX_HEADER_BYTES,
      tls,
      proxy,
    });
  }

  /** The connections, as far as mixed-up responses are concerned. */
  get connections(): Pick<HttpConnections, 'origins' | 'atRisk' | 'takeAtRisk'> {
    return this.#connections;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.close();
  }

  /**
   * Sends a request and waits for the headers of a response with status 200.
   *
   * @param onHeaders called with the status and headers of every response
   * @param taken the connection to use; by default, any
   * @throws CallError for another status; errors of undici, which `failure` converts
   */
  async open(
    call: HttpRequest,
    signal: AbortSignal,
    onHeaders: (status: number, headers: Headers) => void = () => {},
    taken?: HttpConnection,
  ): Promise<OpenResponse> {
    const location = this.locationOf(call);
    const path = this.#base + call.path;
    const own = this.credentials.areOfRequest ? await this.#headersFor(call) : this.credentials.headers;
    const connection = taken ?? (await this.#connections.take(signal));
    const id = this.#ids.next();
    let response: HttpResponse;
    try {
      response = await connection.request({
        method: call.method,
        path,
        headers: {
          ...call.headers,
          ...own,
          ...this.#proxyHeaders,
          accept: call.accept ?? 'application/json',
          // Without this header, any encoding is acceptable (RFC 9110 section 12.5.3).
          'accept-encoding': 'identity',
          [sentIdHeader]: id,
          ...(call.body !== undefined && { 'content-type': typeOf(call) }),
        },
        signal,
        ...(call.body !== undefined && { body: call.body }),
      });
    } catch (cause) {
      const mayRepeat =
        connection.wasClosedBetween && isWhole(call) && taken === undefined && !signal.aborted;
      this.#connections.release(connection);
      // As browsers do (RFC 9112 section 9.3.1): predictions may be asked for twice.
      if (mayRepeat) return this.open(call, signal, onHeaders);
      throw (await this.#isPlainToTls(cause)) ? new TlsExpected('the service expects TLS') : cause;
    }
    this.#hasResponded = true;
    const { statusCode, headers, body } = response;
    body.once('close', () => this.#connections.release(connection));
    const echo = this.#ids.echo(id, headers[sentIdHeader]);
    if (echo === 'other') {
      connection.mixedUp();
      body.on('error', () => {}).destroy();
      throw this.failures.ofUnusable('other_response', { location });
    }
    onHeaders(statusCode, headers);
    const origin = echo === 'own' ? undefined : connection.origin;
    if (statusCode !== 200) throw await this.failures.ofStatus(response, { location, origin: origin?.id });
    if (!isEncoded(headers)) return { body, trailers: response.trailers, origin };
    await readBody(body, 0); // discards it
    throw this.failures.ofUnusable('encoded_answer', { location });
  }

  /** What proves who asks, if each request does it anew. @throws NoCredentials */
  #headersFor(call: HttpRequest): Promise<Readonly<Record<string, string>>> {
    const { method, body } = call;
    const type = body === undefined ? undefined : typeOf(call);
    return this.credentials.headersFor({ method, path: this.#root + call.path, type, body });
  }

  locationOf(request: HttpRequest): RequestLocation {
    return { request: `${request.method} ${this.urlOf(request)}` };
  }

  /** Without user info, query and fragment. */
  urlOf({ path }: HttpRequest): string {
    return this.#address + path;
  }

  /** Many https servers close a plain http connection without a response. */
  async #isPlainToTls(cause: unknown): Promise<boolean> {
    const { code } = cause as NodeJS.ErrnoException; // undici only throws errors
    const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
    return (
      isClosed &&
      !this.#hasResponded &&
      !this.#isClosed &&
      this.#proxy === undefined &&
      this.#url.protocol === 'http:' &&
      speaksTls(this.#url)
    );
  }

  /**
   * Turns an error below HTTP into a failed request.
   *
   * @param late message for a timeout
   * @param brokenHint hint for a broken connection
   */
  failure(
    cause: unknown,
    location: RequestLocation,
    { late = `no complete response within ${this.timeout / 1000} s`, brokenHint }: FailureMessages = {},
  ): RowcastError {
    const { hasConnected } = this.#connections;
    return this.failures.ofError(
      cause,
      { location },
      { isClosed: this.#isClosed, hasConnected, late, brokenHint },
    );
  }
}

interface FailureMessages {
  late?: string;
  brokenHint?: string;
}

const typeOf = ({ type = 'application/json' }: HttpRequest): string => type;

/** Whether a request can be sent again: a stream can be read only once. */
const isWhole = ({ body }: HttpRequest): boolean => !(body instanceof Readable);
