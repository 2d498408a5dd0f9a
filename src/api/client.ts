import { setMaxListeners } from 'node:events';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { type Dispatcher, Pool } from 'undici';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { type Answer, type AnswerOptions, readAnswer, WrongAnswer } from './answer.ts';
import { redacted } from './base-url.ts';
import {
  answerBytes,
  isDeep,
  isEncoded,
  MAX_ANSWER_BYTES,
  parseJson,
  readBody,
  readProblem,
} from './body.ts';
import { CallError, hintOfStatus, kindOfStatus, readRetryAfter } from './failures.ts';
import { Health } from './health.ts';
import { Pace } from './pace.ts';
import { withRetries } from './retry.ts';
import { type Features, type LooseReport, looseReport, type Probabilities } from './shapes.ts';
import { contractWire, type Wire } from './wire.ts';

export interface ClientOptions {
  /** Base URL, as `readBaseUrl` gives it. */
  url: URL;
  key: string;
  /** How the service is named to people: `embedded`, or its URL. */
  name: string;
  wire?: Wire;
  /** Seconds that one call may take. */
  timeout?: number;
  /** Seconds that the service may be gone. */
  patience?: number;
  /** Most calls at once. */
  concurrency?: number;
  /** Most calls a second, whatever the service takes. */
  maxRequestsPerSecond?: number | undefined;
  /** Most personas a second, whatever the service takes. */
  maxRowsPerSecond?: number | undefined;
  /** Told before each wait for another try, in milliseconds. */
  onRetry?: (failure: CallError, wait: number) => void;
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer | string;
  /** How many the body holds. */
  personas?: number;
  accept?: string;
  signal?: AbortSignal | undefined;
  /** A longer answer is none. */
  maxAnswerBytes?: number;
  /** Whether its body can be halved: it holds several personas. */
  canSplit?: boolean;
  /** Told before each wait for another try. */
  onRetry?: ((failure: CallError) => void) | undefined;
}

/** A call whose answer has begun. */
interface Opened {
  response: Dispatcher.ResponseData;
  /** By `performance.now()`. */
  sentAt: number;
  /** Must be called when the body was read; `isWhole` when it was to its end. */
  release: (isWhole?: boolean) => void;
}

/** What was asked of a service so far. */
export interface Statistics {
  calls: number;
  /** Code of the failure → calls that were tried again for it. */
  retries: Map<string, number>;
  /** Milliseconds from sending a call to its whole answer, of those that succeeded. */
  latency: RecordableHistogram;
}

const TIMEOUT_SECONDS = 60;
const CONCURRENCY = 16;
/** Seconds that a service may be gone, for a command that a person waits for. */
const PATIENCE_SECONDS = 5;
const MAX_HEADER_BYTES = 16 << 10;
const MAX_PROBLEM_BYTES = 64 << 10;

/**
 * The service's API, for one run: the same for a hosted service and for the embedded one. Calls that may
 * succeed later are tried again; redirects are not followed, so that the key stays where it was sent.
 *
 * @throws CallError from every call, when it has failed for good
 */
export class Client {
  readonly name: string;
  readonly wire: Wire;
  readonly statistics: Statistics = { calls: 0, retries: new Map(), latency: createHistogram() };
  readonly #pool: Pool;
  readonly #base: string;
  readonly #address: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #patience: number;
  readonly #pace: Pace;
  readonly #health = new Health();
  readonly #closed = new AbortController();
  readonly #onRetry: ClientOptions['onRetry'];

  constructor(options: ClientOptions) {
    this.name = options.name;
    this.wire = options.wire ?? contractWire;
    this.#base = options.url.pathname === '/' ? '' : options.url.pathname;
    this.#address = redacted(options.url.href);
    this.#key = options.key;
    this.#timeout = (options.timeout ?? TIMEOUT_SECONDS) * 1000;
    this.#patience = options.patience ?? PATIENCE_SECONDS;
    const concurrency = options.concurrency ?? CONCURRENCY;
    this.#pace = new Pace({
      concurrency,
      maxRequests: options.maxRequestsPerSecond,
      maxRows: options.maxRowsPerSecond,
      patience: this.#patience,
    });
    this.#onRetry = options.onRetry;
    // Every wait for another try listens: many are no leak, and Node's warning would go to stderr.
    setMaxListeners(0, this.#closed.signal);
    // The whole call has one deadline, kept below; undici's own would only shorten it.
    this.#pool = new Pool(options.url.origin, {
      connections: concurrency,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: this.#timeout },
    });
  }

  /** How many calls the service is best asked at once, for now. */
  get concurrency(): number {
    return this.#pace.concurrency;
  }

  /** Ends what is under way and closes the connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#pool.destroy();
  }

  /** A report's tech specs, drivers and, where the service tells them, classes and columns. */
  async report(id: string): Promise<LooseReport> {
    const call: Call = { method: 'GET', path: `/user/report/${encodeURIComponent(id)}` };
    return this.#tryCall(call, body => {
      const parsed = looseReport.safeParse(parseJson(body));
      if (!parsed.success)
        throw new WrongAnswer(`the report is not understood: ${firstIssue(parsed.error.issues)}`);
      return parsed.data;
    });
  }

  /** A report's testing results, as the bytes of a CSV. */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    const call: Call = {
      method: 'GET',
      path: `/user/testing-results/${encodeURIComponent(id)}`,
      accept: 'text/csv',
    };
    const place = this.#place(call);
    const { response, release } = await this.#open(call);
    try {
      for await (const chunk of response.body) yield chunk;
    } catch (cause) {
      throw this.#broken(cause, place);
    } finally {
      release();
    }
  }

  /** One persona's probabilities. */
  async persona(id: string, features: Features): Promise<Probabilities> {
    const { wire } = this;
    const body = JSON.stringify({ [wire.id]: id, [wire.features]: features });
    return this.#tryCall({ method: 'POST', path: '/user/persona', body, personas: 1 }, answer => {
      // A batch of one: checked by the same rules.
      const batch = `{${JSON.stringify(wire.predictions)}:[${answer}]}`;
      const { classes, probabilities } = readAnswer(batch, {
        personas: 1,
        classes: undefined,
        wire,
        secret: this.#key,
      });
      if (classes.length === 0) throw new WrongAnswer(`the answer has no "${wire.probabilities}"`);
      return Object.fromEntries(classes.map((name, index) => [name, probabilities[index] ?? Number.NaN]));
    });
  }

  /**
   * A batch's predictions, checked; the body is that of `encode`.
   *
   * @param signal aborted when nobody waits for the answer any more
   * @param onRetry told before each wait for another try
   */
  async batchPersona(
    body: Buffer,
    expected: Omit<AnswerOptions, 'wire' | 'secret'>,
    signal?: AbortSignal,
    onRetry?: (failure: CallError) => void,
  ): Promise<Answer> {
    const { personas, classes } = expected;
    const maxAnswerBytes = answerBytes(personas, classes);
    const path = '/user/batch-persona';
    const options = { body, personas, canSplit: personas > 1, signal, onRetry, maxAnswerBytes };
    const call = { method: 'POST', path, ...options } as const;
    return this.#tryCall(call, answer =>
      readAnswer(answer, { ...expected, wire: this.wire, secret: this.#key }),
    );
  }

  async #tryCall<T>(call: Call, read: (body: string) => T): Promise<T> {
    return withRetries(() => this.#callOnce(call, read), {
      health: this.#health,
      pace: this.#pace,
      patience: this.#patience,
      signal: call.signal ?? this.#closed.signal,
      canSplit: call.canSplit ?? false,
      onRetry: (failure, wait) => {
        call.onRetry?.(failure);
        const { retries } = this.statistics;
        retries.set(failure.code, (retries.get(failure.code) ?? 0) + 1);
        this.#onRetry?.(failure, wait);
      },
    });
  }

  async #callOnce<T>(call: Call, read: (body: string) => T): Promise<T> {
    const place = this.#place(call);
    const { response, sentAt, release } = await this.#open(call);
    const most = call.maxAnswerBytes ?? MAX_ANSWER_BYTES;
    let body: Buffer | undefined;
    try {
      body = await readBody(response.body, most);
    } catch (cause) {
      throw this.#broken(cause, place);
    } finally {
      release(body !== undefined);
    }
    if (body === undefined)
      throw new CallError(
        'stop',
        'answer_too_large',
        `the answer is over ${most} bytes, which none to this is`,
        {
          place,
        },
      );
    this.statistics.latency.record(Math.max(1, Math.round(performance.now() - sentAt)));
    const text = body.toString('utf8');
    try {
      if (isDeep(body)) throw new WrongAnswer('the answer is nested too deeply');
      return read(text);
    } catch (cause) {
      throw cause instanceof WrongAnswer ? this.#wrong(cause, text, place) : cause;
    }
  }

  /** Sends a call when its turn has come, and waits for a 200. */
  async #open(call: Call): Promise<Opened> {
    const place = this.#place(call);
    const turn = await this.#pace.turn(call.personas ?? 0, call.signal ?? this.#closed.signal);
    const { sentAt } = turn;
    const deadline = new AbortController();
    const abort = (): void => deadline.abort();
    const timer = setTimeout(abort, this.#timeout);
    call.signal?.addEventListener('abort', abort);
    const release = (isWhole = false): void => {
      turn.ended(isWhole);
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
    };
    try {
      this.statistics.calls++;
      const response = await this.#pool.request({
        method: call.method,
        path: this.#base + call.path,
        headers: {
          authorization: `ApiKey ${this.#key}`,
          accept: call.accept ?? 'application/json',
          // Without this any encoding would do (RFC 9110 section 12.5.3).
          'accept-encoding': 'identity',
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
        },
        signal: deadline.signal,
        ...(call.body !== undefined && { body: call.body }),
      });
      turn.heard(response.statusCode, response.headers);
      if (response.statusCode !== 200) throw await this.#refused(response, place);
      if (!isEncoded(response.headers)) return { response, sentAt, release };
      await readBody(response.body, 0); // to be rid of it
      throw new CallError(
        'wrong_answer',
        'encoded_answer',
        'the answer is compressed, though that was not asked for',
        {
          place,
          hint: 'Turn compression off in the service, or in the proxy before it.',
        },
      );
    } catch (cause) {
      release();
      throw this.#broken(cause, place);
    }
  }

  #place(call: Call): { request: string } {
    return { request: `${call.method} ${this.#address}${call.path}` };
  }

  /** An answer that must not be merged, as a failed call. */
  #wrong({ changed, message }: WrongAnswer, answer: string, place: { request: string }): CallError {
    const tells = [answer, message].some(text => text.includes(this.#key));
    return new CallError(
      changed ? 'stop' : 'wrong_answer',
      'wrong_answer',
      tells ? 'the answer is wrong; it repeats the key, so it is not shown' : message,
      { place, hint: changed ? 'The report has changed since the run began: start again.' : undefined },
    );
  }

  /** An answer with another status than 200, as a failed call; its own words are told where it has any. */
  async #refused(response: Dispatcher.ResponseData, place: { request: string }): Promise<CallError> {
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
        hint: hintOfStatus(statusCode),
        retryAfter: readRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now()),
      },
    );
  }

  /** What went wrong below HTTP, as a failed call. */
  #broken(cause: unknown, place: { request: string }): RowcastError {
    if (cause instanceof RowcastError) return cause;
    if (this.#closed.signal.aborted)
      return new CallError('stop', 'client_closed', 'the client was closed', { place, cause });
    const { name, code, message } = cause as NodeJS.ErrnoException; // undici throws nothing but errors
    if (name === 'AbortError')
      return new CallError('outage', 'service_timeout', `no whole answer within ${this.#timeout / 1000} s`, {
        place,
        cause,
      });
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return new CallError(
        'wrong_answer',
        'headers_too_large',
        `the answer's headers are over ${MAX_HEADER_BYTES} bytes`,
        {
          place,
          cause,
        },
      );
    const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code?.startsWith('HPE_');
    if (isBroken)
      return new CallError('outage', 'connection_broken', `the connection broke: ${shown(reason)}`, {
        place,
        cause,
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

/** What is wrong with a report first: there may be as many issues as it has members. */
function firstIssue([issue]: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  const path = issue?.path.join('.') ?? '';
  return shown(`${path}${path === '' ? '' : ': '}${issue?.message}`);
}
