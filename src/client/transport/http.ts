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
  /** Base URL, as `readBaseUrl` gives it. */
  url: URL;
  key: string;
  /** Milliseconds that a connection, or one call, may take. */
  timeout: number;
  /** Most connections at once. */
  connections: number;
}

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer | string | Readable;
  /** Media type of the body; JSON where it is left out. */
  type?: string;
  accept?: string;
}

/** Where a failure happened, as far as HTTP knows. */
export interface RequestLocation {
  request: string;
}

/** A response with status 200, whose body is still to be read. */
export interface OpenResponse {
  body: HttpResponse['body'];
  trailers: Record<string, string>;
  /** The connection that it came on; undefined where it echoes its request's id, so that no other can be meant. */
  origin: Origin | undefined;
}

const MAX_HEADER_BYTES = 16 << 10;
const MAX_PROBLEM_BYTES = 64 << 10;

/** One call over HTTP, and what its failures mean. Redirects are not followed, so the key stays where it was sent. */
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

  /** What is known of the connections: whether they mixed up responses. */
  get connections(): Pick<Connections, 'firstSuspectRow' | 'atRisk' | 'takeAtRisk' | 'suspect'> {
    return this.#connections;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.close();
  }

  /**
   * Sends a call and waits for a 200, whose body is still to be read.
   *
   * @param heard told of every answer's status and headers
   * @param taken the connection to use, where not any will do
   * @throws CallError for another status; what undici throws, which `failure` makes one of
   */
  async open(
    call: HttpRequest,
    signal: AbortSignal,
    heard: (status: number, headers: Headers) => void = () => {},
    taken?: Connection,
  ): Promise<OpenResponse> {
    const locationOf = this.place(call);
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
          // Without this any encoding would do (RFC 9110 section 12.5.3).
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
      throw responseToOtherRequest(locationOf);
    }
    heard(statusCode, headers);
    const origin = echo === 'own' ? undefined : connection.origin;
    if (statusCode !== 200) throw await this.#errorStatus(response, locationOf, origin);
    if (!isEncoded(headers)) return { body, trailers: response.trailers, origin };
    await readBody(body, 0); // to be rid of it
    throw new CallError(
      'invalid_response',
      'encoded_answer',
      'the response is compressed, although compression was not requested',
      { location: locationOf, hint: 'Turn off compression in the service or in the proxy in front of it.' },
    );
  }

  place({ method, path }: HttpRequest): RequestLocation {
    return { request: `${method} ${this.#address}${path}` };
  }

  /** An answer that must not be merged, as a failed call. */
  invalidResponse(
    { classesChanged: changed, message }: InvalidResponse,
    answer: string,
    place: RequestLocation,
  ): CallError {
    const tells = [answer, message].some(text => text.includes(this.#key));
    return new CallError(
      changed ? 'fatal' : 'invalid_response',
      'wrong_answer',
      tells ? 'the response is invalid; it contains the API key, so it is not shown' : message,
      {
        location: place,
        hint: changed ? 'The report has changed since the run began. Start over with --restart.' : undefined,
      },
    );
  }

  /** Many a server of https closes a plain connection without a word. */
  async #isPlainToTls(cause: unknown): Promise<boolean> {
    const { code } = cause as NodeJS.ErrnoException; // undici throws nothing but errors
    const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
    return (
      isClosed &&
      !this.#hasResponded &&
      !this.#isClosed &&
      this.#url.protocol === 'http:' &&
      speaksTls(this.#url)
    );
  }

  /** An answer with another status than 200, as a failed call; its own words are told where it has any. */
  async #errorStatus(
    response: HttpResponse,
    place: RequestLocation,
    origin: Origin | undefined,
  ): Promise<CallError> {
    const { statusCode, headers, body } = response;
    // Who answers before the whole request is read often breaks off: the status was heard all the same.
    const bytes = await readBody(body, MAX_PROBLEM_BYTES).catch(() => undefined);
    const text = bytes === undefined || isEncoded(headers) ? '' : bytes.toString('utf8');
    if (statusCode === 400 && PLAIN_TO_TLS.test(text)) throw new TlsExpected('the service expects TLS');
    const retryAfter = headers['retry-after'];
    const { code = '', detail } = readProblem(text);
    // Some proxies repeat what they were sent, the key included.
    const tells = (words: string): boolean => words !== '' && !words.includes(this.#key);
    const said = tells(detail) ? sanitize(detail) : '';
    return new CallError(
      kindOfStatus(statusCode),
      tells(code) ? code : `http_${statusCode}`,
      `the service responded with ${statusCode}${said === '' ? '' : `: ${said}`}`,
      {
        location: place,
        origin,
        status: statusCode,
        hint: hintOfStatus(statusCode, code),
        retryAfter: readRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now()),
      },
    );
  }

  /**
   * What went wrong below HTTP, as a failed call.
   *
   * @param late what a deadline that is over means
   * @param brokenHint what to do about a connection that broke
   */
  failure(
    cause: unknown,
    place: RequestLocation,
    { late = `no complete response within ${this.timeout / 1000} s`, brokenHint }: FailureMessages = {},
  ): RowcastError {
    if (cause instanceof RowcastError) return cause;
    if (this.#isClosed)
      return new CallError('fatal', 'client_closed', 'the client was closed', { location: place, cause });
    const error = cause as NodeJS.ErrnoException; // undici throws nothing but errors
    const { name, code, message } = error;
    const why = permanentError(error, this.#connections.hasConnected);
    if (why !== undefined)
      return new CallError('fatal', why.code, why.message, { location: place, cause, hint: why.hint });
    if (name === 'AbortError')
      return new CallError('unavailable', 'service_timeout', late, { location: place, cause });
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return new CallError(
        'invalid_response',
        'headers_too_large',
        `response headers exceed the limit of ${MAX_HEADER_BYTES} bytes`,
        { location: place, cause },
      );
    const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code?.startsWith('HPE_');
    if (isBroken)
      return new CallError(
        'unavailable',
        'connection_broken',
        `the connection was closed: ${sanitize(reason)}`,
        {
          location: place,
          cause,
          hint: brokenHint,
        },
      );
    const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
    const reported = isUnknown ? `its host name cannot be resolved (${code})` : sanitize(reason);
    return new CallError('unavailable', 'service_unreachable', `the service cannot be reached: ${reported}`, {
      location: place,
      cause,
      hint: 'Check --url and whether the service is running.',
    });
  }
}

/** A response that belongs to another request: this one is retried, on another connection. */
const responseToOtherRequest = (place: RequestLocation): CallError =>
  new CallError('invalid_response', 'other_response', 'the response carries the id of another request', {
    location: place,
    hint: 'The service, or a proxy in front of it, mixes up responses.',
  });

/** nginx's words for http to a port of https, which it answers with 400. */
const PLAIN_TO_TLS = /plain HTTP request was sent to HTTPS port/i;

interface FailureMessages {
  late?: string;
  brokenHint?: string;
}
