import { setMaxListeners } from 'node:events';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { accountsTrailer, readAccounts, type UploadAccounts } from './accounts-trailer.ts';
import { type Answer, type AnswerOptions, readAnswer, WrongAnswer } from './answer.ts';
import { redacted } from './base-url.ts';
import { parseJson, personaBytes, readBody, readProblem } from './body.ts';
import { type Deadline, received, startDeadline, unhurried } from './deadline.ts';
import { CallError, hintOfStatus, kindOfStatus, readRetryAfter } from './failures.ts';
import { Health } from './health.ts';
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
  /** Calls at once. */
  concurrency?: number;
  /** Told before each wait for another try, in milliseconds. */
  onRetry?: (failure: CallError, wait: number) => void;
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer | string | Readable;
  /** Media type of the body; JSON where it is left out. */
  type?: string;
  accept?: string;
  signal?: AbortSignal | undefined;
  /** A longer answer is none. */
  maxAnswerBytes?: number;
}

/** A CSV on its way back from POST /user/batch-predict. */
export interface ScoredUpload {
  /** To be read to their end. */
  chunks: AsyncGenerator<Buffer>;
  /**
   * What became of the rows, once the chunks have come to their end.
   *
   * @throws CallError `wrong_answer` where the answer does not say: then it may not be whole
   */
  accounts(): UploadAccounts;
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
/** Seconds that a service may be gone, for a command that a person waits for. */
const PATIENCE_SECONDS = 5;
/** What an answer that is not about so many personas may hold. */
const MAX_ANSWER_BYTES = 4 << 20;
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
    this.#onRetry = options.onRetry;
    // Every wait for another try listens: many are no leak, and Node's warning would go to stderr.
    setMaxListeners(0, this.#closed.signal);
    // The whole call has one deadline, kept below; undici's own would only shorten it.
    this.#pool = new Pool(options.url.origin, {
      connections: options.concurrency ?? 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: this.#timeout },
    });
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
        throw new WrongAnswer(`the report is not understood: ${shown(parsed.error.message)}`);
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
    const deadline = this.#deadlineOf(call);
    try {
      const response = await this.#open(call, deadline);
      for await (const chunk of response.body) yield chunk;
    } catch (cause) {
      throw this.#broken(cause, place);
    } finally {
      deadline.release();
    }
  }

  /**
   * Sends a CSV and has it back scored; it comes while the rest is sent. Tried once only, as what was sent cannot be
   * had again. It may take as long as it likes, but no longer than the timeout without a byte either way while the
   * service is what is waited for.
   *
   * @param csv read as fast as the service takes it
   * @param signal aborted when nobody waits for the answer any more
   */
  async batchPredict(
    id: string,
    csv: AsyncIterable<Buffer>,
    signal: AbortSignal | undefined,
  ): Promise<ScoredUpload> {
    const deadline = startDeadline(this.#timeout, signal);
    let isSent = false;
    const onSent = (): void => {
      isSent = true;
    };
    const call: Call = {
      method: 'POST',
      path: `/user/batch-predict?id=${encodeURIComponent(id)}`,
      body: Readable.from(unhurried(csv, deadline, onSent), { objectMode: false }),
      type: 'text/csv',
      accept: 'text/csv',
    };
    const place = this.#place(call);
    const broken = (cause: unknown): RowcastError =>
      this.#broken(cause, place, {
        late: `nothing came or went for ${this.#timeout / 1000} s`,
        brokenHint: 'Its log says why; rowcast score says what is wrong with an input.',
      });
    let response: Dispatcher.ResponseData;
    try {
      response = await this.#open(call, deadline);
    } catch (cause) {
      deadline.release();
      const failure = broken(cause);
      // Nothing has come back, and no part of it will fare better.
      if (failure instanceof CallError && failure.kind === 'refusal') failure.consequence = 'refused';
      throw failure;
    }
    const { body, trailers } = response;
    return {
      chunks: (async function* () {
        try {
          yield* received(body, deadline);
        } catch (cause) {
          throw broken(cause);
        } finally {
          deadline.release();
        }
      })(),
      accounts() {
        if (!isSent)
          throw new CallError('wrong_answer', 'wrong_answer', 'the answer ended before all was sent', {
            place,
          });
        const accounts = readAccounts(trailers[accountsTrailer]);
        if (accounts !== undefined) return accounts;
        throw new CallError('wrong_answer', 'wrong_answer', 'the answer ends without its accounts', {
          place,
          hint: 'It may not be whole. A proxy before the service must speak HTTP/1.1 and pass trailers on.',
        });
      },
    };
  }

  /** One persona's probabilities. */
  async persona(id: string, features: Features): Promise<Probabilities> {
    const { wire } = this;
    const body = JSON.stringify({ [wire.id]: id, [wire.features]: features });
    return this.#tryCall({ method: 'POST', path: '/user/persona', body }, answer => {
      // A batch of one: checked by the same rules.
      const batch = `{${JSON.stringify(wire.predictions)}:[${answer}]}`;
      const { classes, probabilities } = readAnswer(batch, { personas: 1, classes: undefined, wire });
      if (classes.length === 0) throw new WrongAnswer(`the answer has no "${wire.probabilities}"`);
      return Object.fromEntries(classes.map((name, index) => [name, probabilities[index] ?? Number.NaN]));
    });
  }

  /**
   * A batch's predictions, checked; the body is that of `encode`.
   *
   * @param signal aborted when nobody waits for the answer any more
   */
  async batchPersona(
    body: Buffer,
    expected: Omit<AnswerOptions, 'wire'>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const maxAnswerBytes = MAX_ANSWER_BYTES + expected.personas * personaBytes(expected.classes);
    const call = { method: 'POST', path: '/user/batch-persona', body, signal, maxAnswerBytes } as const;
    return this.#tryCall(call, answer => readAnswer(answer, { ...expected, wire: this.wire }));
  }

  async #tryCall<T>(call: Call, read: (body: string) => T): Promise<T> {
    return withRetries(() => this.#callOnce(call, read), {
      health: this.#health,
      patience: this.#patience,
      signal: call.signal ?? this.#closed.signal,
      onRetry: (failure, wait) => {
        const { retries } = this.statistics;
        retries.set(failure.code, (retries.get(failure.code) ?? 0) + 1);
        this.#onRetry?.(failure, wait);
      },
    });
  }

  async #callOnce<T>(call: Call, read: (body: string) => T): Promise<T> {
    const place = this.#place(call);
    const begun = performance.now();
    const deadline = this.#deadlineOf(call);
    try {
      const response = await this.#open(call, deadline);
      const most = call.maxAnswerBytes ?? MAX_ANSWER_BYTES;
      const body = await readBody(response.body, most);
      this.statistics.latency.record(Math.max(1, Math.round(performance.now() - begun)));
      if (body === undefined)
        throw new CallError(
          'stop',
          'answer_too_large',
          `the answer is over ${most} bytes, which none to this is`,
          {
            place,
          },
        );
      const text = body.toString('utf8');
      try {
        return read(text);
      } catch (cause) {
        throw cause instanceof WrongAnswer ? this.#wrong(cause, text, place) : cause;
      }
    } catch (cause) {
      throw this.#broken(cause, place);
    } finally {
      deadline.release();
    }
  }

  /** The whole call has one deadline, from here on. */
  #deadlineOf({ signal }: Call): Deadline {
    return startDeadline(this.#timeout, signal);
  }

  /** Sends a call and waits for a 200. */
  async #open(call: Call, { signal }: Deadline): Promise<Dispatcher.ResponseData> {
    this.statistics.calls++;
    const response = await this.#pool.request({
      method: call.method,
      path: this.#base + call.path,
      headers: {
        authorization: `ApiKey ${this.#key}`,
        accept: call.accept ?? 'application/json',
        ...(call.body !== undefined && { 'content-type': call.type ?? 'application/json' }),
      },
      signal,
      ...(call.body !== undefined && { body: call.body }),
    });
    if (response.statusCode === 200) return response;
    throw await this.#refused(response, this.#place(call));
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
    const text = (await readBody(body, MAX_PROBLEM_BYTES))?.toString('utf8') ?? '';
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

  /** What went wrong below HTTP, as a failed call. */
  #broken(
    cause: unknown,
    place: { request: string },
    {
      late = `no whole answer within ${this.#timeout / 1000} s`,
      brokenHint,
    }: { late?: string; brokenHint?: string } = {},
  ): RowcastError {
    if (cause instanceof RowcastError) return cause;
    const { name, code, message } = cause as NodeJS.ErrnoException; // undici throws nothing but errors
    if (name === 'AbortError') return new CallError('outage', 'service_timeout', late, { place, cause });
    const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code?.startsWith('HPE_');
    if (isBroken)
      return new CallError('outage', 'connection_broken', `the connection broke: ${shown(reason)}`, {
        place,
        cause,
        hint: brokenHint,
      });
    return new CallError('outage', 'service_unreachable', `the service cannot be reached: ${shown(reason)}`, {
      place,
      cause,
      hint: 'Check --url and that the service runs.',
    });
  }
}
