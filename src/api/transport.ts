import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import type { WrongAnswer } from './answer.ts';
import { redacted } from './base-url.ts';
import { isEncoded, readBody, readProblem } from './body.ts';
import { CallError, hintOfStatus, kindOfStatus, readRetryAfter } from './failures.ts';
import type { Headers } from './quota.ts';

export interface TransportOptions {
  /** Base URL, as `readBaseUrl` gives it. */
  url: URL;
  key: string;
  /** Milliseconds that a connection, or one call, may take. */
  timeout: number;
  /** Most connections at once. */
  connections: number;
}

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer | string | Readable;
  /** Media type of the body; JSON where it is left out. */
  type?: string;
  accept?: string;
}

/** Where a failure happened, as far as HTTP knows. */
export interface RequestPlace {
  request: string;
}

const MAX_HEADER_BYTES = 16 << 10;
const MAX_PROBLEM_BYTES = 64 << 10;

/** One call over HTTP, and what its failures mean. Redirects are not followed, so the key stays where it was sent. */
export class Transport {
  readonly timeout: number;
  readonly #pool: Pool;
  readonly #base: string;
  readonly #address: string;
  readonly #key: string;
  #isClosed = false;

  constructor({ url, key, timeout, connections }: TransportOptions) {
    this.timeout = timeout;
    this.#base = url.pathname === '/' ? '' : url.pathname;
    this.#address = redacted(url.href);
    this.#key = key;
    // Each call has one deadline, which its caller keeps; undici's own would only shorten it.
    this.#pool = new Pool(url.origin, {
      connections,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout },
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }

  /**
   * Sends a call and waits for a 200, whose body is still to be read.
   *
   * @param heard told of every answer's status and headers
   * @throws CallError for another status; what undici throws, which `failure` makes one of
   */
  async open(
    call: Call,
    signal: AbortSignal,
    heard: (status: number, headers: Headers) => void = () => {},
  ): Promise<Dispatcher.ResponseData> {
    const response = await this.#pool.request({
      method: call.method,
      path: this.#base + call.path,
      headers: {
        authorization: `ApiKey ${this.#key}`,
        accept: call.accept ?? 'application/json',
        // Without this any encoding would do (RFC 9110 section 12.5.3).
        'accept-encoding': 'identity',
        ...(call.body !== undefined && { 'content-type': call.type ?? 'application/json' }),
      },
      signal,
      ...(call.body !== undefined && { body: call.body }),
    });
    heard(response.statusCode, response.headers);
    const place = this.place(call);
    if (response.statusCode !== 200) throw await this.#refused(response, place);
    if (!isEncoded(response.headers)) return response;
    await readBody(response.body, 0); // to be rid of it
    throw new CallError(
      'wrong_answer',
      'encoded_answer',
      'the answer is compressed, though that was not asked for',
      { place, hint: 'Turn compression off in the service, or in the proxy before it.' },
    );
  }

  place({ method, path }: Call): RequestPlace {
    return { request: `${method} ${this.#address}${path}` };
  }

  /** An answer that must not be merged, as a failed call. */
  wrong({ changed, message }: WrongAnswer, answer: string, place: RequestPlace): CallError {
    const tells = [answer, message].some(text => text.includes(this.#key));
    return new CallError(
      changed ? 'stop' : 'wrong_answer',
      'wrong_answer',
      tells ? 'the answer is wrong; it repeats the key, so it is not shown' : message,
      { place, hint: changed ? 'The report has changed since the run began: start again.' : undefined },
    );
  }

  /** An answer with another status than 200, as a failed call; its own words are told where it has any. */
  async #refused(response: Dispatcher.ResponseData, place: RequestPlace): Promise<CallError> {
    const { statusCode, headers, body } = response;
    // Who answers before the whole request is read often breaks off: the status was heard all the same.
    const bytes = await readBody(body, MAX_PROBLEM_BYTES).catch(() => undefined);
    const text = bytes === undefined || isEncoded(headers) ? '' : bytes.toString('utf8');
    const retryAfter = headers['retry-after'];
    const { code = '', detail } = readProblem(text);
    // Some proxies repeat what they were sent, the key included.
    const tells = (words: string): boolean => words !== '' && !words.includes(this.#key);
    const said = tells(detail) ? shown(detail) : '';
    return new CallError(
      kindOfStatus(statusCode),
      tells(code) ? code : `http_${statusCode}`,
      `the service answered ${statusCode}${said === '' ? '' : `: ${said}`}`,
      {
        place,
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
    place: RequestPlace,
    { late = `no whole answer within ${this.timeout / 1000} s`, brokenHint }: FailureWords = {},
  ): RowcastError {
    if (cause instanceof RowcastError) return cause;
    if (this.#isClosed)
      return new CallError('stop', 'client_closed', 'the client was closed', { place, cause });
    const { name, code, message } = cause as NodeJS.ErrnoException; // undici throws nothing but errors
    if (name === 'AbortError') return new CallError('outage', 'service_timeout', late, { place, cause });
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return new CallError(
        'wrong_answer',
        'headers_too_large',
        `the answer's headers are over ${MAX_HEADER_BYTES} bytes`,
        { place, cause },
      );
    const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code?.startsWith('HPE_');
    if (isBroken)
      return new CallError('outage', 'connection_broken', `the connection broke: ${shown(reason)}`, {
        place,
        cause,
        hint: brokenHint,
      });
    const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
    const why = isUnknown ? `its name cannot be resolved (${code})` : shown(reason);
    return new CallError('outage', 'service_unreachable', `the service cannot be reached: ${why}`, {
      place,
      cause,
      hint: 'Check --url and that the service runs.',
    });
  }
}

interface FailureWords {
  late?: string;
  brokenHint?: string;
}
