import type { Readable } from 'node:stream';
import { RowcastError } from '../../errors.ts';
import { sanitize } from '../../sanitize.ts';
import { redacted } from '../base-url.ts';
import { CallError, hintOfStatus, kindOfStatus, readRetryAfter } from '../failures.ts';
import type { Headers } from '../pacing/rate-limit-headers.ts';
import type { InvalidResponse } from '../response/parse-predictions.ts';
import { permanentError, speaksTls } from '../retry/permanent-errors.ts';
import type { Connection, HttpResponse } from './connection.ts';
import { Connections } from './connections.ts';
import { RequestIds, requestIdHeader } from './request-ids.ts';
import { isEncoded, readBody, readProblem } from './response-body.ts';
import type { Origin } from './response-origin.ts';
import { TlsExpected } from './socket-guard.ts';

export interface TransportOptions {
  /** Base URL, from `readBaseUrl`. */
  url: URL;
  key: string;
  /** Timeout of connecting, and of one request, in milliseconds. */
  timeout: number;
  /** Maximum number of connections. */
  connections: number;
}

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer | string | Readable;
  /** Media type of the body; JSON by default. */
  type?: string;
  accept?: string;
}

/** The location of a failed request. */
export interface RequestLocation {
  request: string;
}

/** A response with status 200 whose body has not been read yet. */
export interface OpenResponse {
  body: HttpResponse['body'];
  trailers: Record<string, string>;
  /** The connection it arrived on; undefined if it echoes its request's id, which proves that it belongs to it. */
  origin: Origin | undefined;
}

const MAX_HEADER_BYTES = 16 << 10;
const MAX_PROBLEM_BYTES = 64 << 10;

/** Sends requests over HTTP and classifies their failures. Redirects are not followed, so that the key stays with its host. */
export class Transport {
  readonly timeout: number;
  readonly #connections: Connections;
  readonly #ids = new RequestIds();
  readonly #base: string;
  readonly #address: string;
  readonly #key: string;
  readonly #url: URL;
  #hasResponded = false;
  #isClosed = false;

  constructor({ url, key, timeout, connections }: TransportOptions) {
    this.timeout = timeout;
    this.#url = url;
    this.#base = url.pathname === '/' ? '' : url.pathname;
    this.#address = redacted(url.href);
    this.#key = key;
    this.#connections = new Connections({
      origin: url.origin,
      max: connections,
      timeout,
      maxHeaderBytes: MAX_HEADER_BYTES,
    });
  }

  /** The connections, as far as mixed-up responses are concerned. */
  get connections(): Pick<Connections, 'firstSuspectRow' | 'atRisk' | 'takeAtRisk' | 'suspect'> {
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
    taken?: Connection,
  ): Promise<OpenResponse> {
    const location = this.locationOf(call);
    const connection = taken ?? (await this.#connections.take(signal));
    const id = this.#ids.next();
    let response: HttpResponse;
    try {
      response = await connection.request({
        method: call.method,
        path: this.#base + call.path,
        headers: {
          authorization: `ApiKey ${this.#key}`,
          accept: call.accept ?? 'application/json',
          // Without this header, any encoding is acceptable (RFC 9110 section 12.5.3).
          'accept-encoding': 'identity',
          [requestIdHeader]: id,
          ...(call.body !== undefined && { 'content-type': call.type ?? 'application/json' }),
        },
        signal,
        ...(call.body !== undefined && { body: call.body }),
      });
    } catch (cause) {
      this.#connections.release(connection);
      throw (await this.#isPlainToTls(cause)) ? new TlsExpected('the service expects TLS') : cause;
    }
    this.#hasResponded = true;
    const { statusCode, headers, body } = response;
    body.once('close', () => this.#connections.release(connection));
    const echo = this.#ids.echo(id, headers[requestIdHeader]);
    if (echo === 'other') {
      connection.mixedUp();
      body.on('error', () => {}).destroy();
      throw responseToOtherRequest(location);
    }
    onHeaders(statusCode, headers);
    const origin = echo === 'own' ? undefined : connection.origin;
    if (statusCode !== 200) throw await this.#errorStatus(response, location, origin);
    if (!isEncoded(headers)) return { body, trailers: response.trailers, origin };
    await readBody(body, 0); // discards it
    throw new CallError(
      'invalid_response',
      'encoded_answer',
      'the response is compressed, although compression was not requested',
      { location, hint: 'Turn off compression in the service or in the proxy in front of it.' },
    );
  }

  locationOf({ method, path }: HttpRequest): RequestLocation {
    return { request: `${method} ${this.#address}${path}` };
  }

  /** Turns an invalid response into a failed request. */
  invalidResponse(
    { classesChanged: changed, message }: InvalidResponse,
    response: string,
    location: RequestLocation,
  ): CallError {
    const containsKey = [response, message].some(text => text.includes(this.#key));
    return new CallError(
      changed ? 'fatal' : 'invalid_response',
      'wrong_answer',
      containsKey ? 'the response is invalid; it contains the API key, so it is not shown' : message,
      {
        location,
        hint: changed ? 'The report has changed since the run began. Start over with --restart.' : undefined,
      },
    );
  }

  /** Many https servers close a plain http connection without a response. */
  async #isPlainToTls(cause: unknown): Promise<boolean> {
    const { code } = cause as NodeJS.ErrnoException; // undici only throws errors
    const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
    return (
      isClosed &&
      !this.#hasResponded &&
      !this.#isClosed &&
      this.#url.protocol === 'http:' &&
      speaksTls(this.#url)
    );
  }

  /** Turns a response with a status other than 200 into a failed request, with the service's own message if there is one. */
  async #errorStatus(
    response: HttpResponse,
    location: RequestLocation,
    origin: Origin | undefined,
  ): Promise<CallError> {
    const { statusCode, headers, body } = response;
    // A server that responds before it has read the whole request often closes the connection; the status is still valid.
    const bytes = await readBody(body, MAX_PROBLEM_BYTES).catch(() => undefined);
    const text = bytes === undefined || isEncoded(headers) ? '' : bytes.toString('utf8');
    if (statusCode === 400 && PLAIN_TO_TLS.test(text)) throw new TlsExpected('the service expects TLS');
    const retryAfter = headers['retry-after'];
    const { code = '', detail } = readProblem(text);
    // Some proxies echo the request, including the key.
    const isSafe = (text: string): boolean => text !== '' && !text.includes(this.#key);
    const said = isSafe(detail) ? sanitize(detail) : '';
    return new CallError(
      kindOfStatus(statusCode),
      isSafe(code) ? code : `http_${statusCode}`,
      `the service responded with ${statusCode}${said === '' ? '' : `: ${said}`}`,
      {
        location,
        origin,
        status: statusCode,
        hint: hintOfStatus(statusCode, code),
        retryAfter: readRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now()),
      },
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
    if (cause instanceof RowcastError) return cause;
    if (this.#isClosed)
      return new CallError('fatal', 'client_closed', 'the client was closed', { location, cause });
    const error = cause as NodeJS.ErrnoException; // undici only throws errors
    const { name, code, message } = error;
    const why = permanentError(error, this.#connections.hasConnected);
    if (why !== undefined)
      return new CallError('fatal', why.code, why.message, { location, cause, hint: why.hint });
    if (name === 'AbortError')
      return new CallError('unavailable', 'service_timeout', late, { location, cause });
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return new CallError(
        'invalid_response',
        'headers_too_large',
        `response headers exceed the limit of ${MAX_HEADER_BYTES} bytes`,
        { location, cause },
      );
    const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code?.startsWith('HPE_');
    if (isBroken)
      return new CallError(
        'unavailable',
        'connection_broken',
        `the connection was closed: ${sanitize(reason)}`,
        {
          location,
          cause,
          hint: brokenHint,
        },
      );
    const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
    const reported = isUnknown ? `its host name cannot be resolved (${code})` : sanitize(reason);
    return new CallError('unavailable', 'service_unreachable', `the service cannot be reached: ${reported}`, {
      location,
      cause,
      hint: 'Check --url and whether the service is running.',
    });
  }
}

/** A response that belongs to another request: this one is retried, on another connection. */
const responseToOtherRequest = (location: RequestLocation): CallError =>
  new CallError('invalid_response', 'other_response', 'the response carries the id of another request', {
    location,
    hint: 'The service, or a proxy in front of it, mixes up responses.',
  });

/** nginx's message, with status 400, for plain http sent to an https port. */
const PLAIN_TO_TLS = /plain HTTP request was sent to HTTPS port/i;

interface FailureMessages {
  late?: string;
  brokenHint?: string;
}
