import { connectReason } from '../../base/connection-error.ts';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type CallDetails, CallError, type RowFault } from '../../scoring/failures/call-error.ts';
import type { FailureCause, FailureTable } from '../../scoring/failures/failure-rule.ts';
import { type Credentials, NoCredentials } from '../credentials.ts';
import { kindOfCause, kindOfStatus } from '../failure-table.ts';
import type { Headers } from '../pacing/rate-limit-headers.ts';
import type { InvalidResponse } from '../parse-response.ts';
import type { HttpResponse } from './connection.ts';
import { PROXY_ASKS, ProxyUnreachable } from './http-proxy.ts';
import { permanentError } from './permanent-errors.ts';
import { isEncoded, readStart } from './response-body.ts';
import { TlsExpected } from './socket-guard.ts';

export const MAX_HEADER_BYTES = 16 << 10;
const MAX_PROBLEM_BYTES = 64 << 10;

/**
 * The status of a response to a key that is wrong, or no longer right (RFC 9110 section 15.5.2); 403 says that it is
 * valid.
 */
const REFUSED_KEY = 401;

/** nginx's message, with status 400, for plain http sent to an https port. */
const PLAIN_TO_TLS = /plain HTTP request was sent to HTTPS port/i;

const HIDDEN = 'it contains the API key or another secret, so it is not shown';

export interface BelowHttpOptions {
  /** Whether the client was closed, and whether a connection was ever made. */
  isClosed: boolean;
  hasConnected: boolean;
  /** Message for a timeout. */
  late: string;
  /** Hint for a broken connection. */
  brokenHint?: string | undefined;
}

export interface CallErrorsOptions {
  failureTable: FailureTable;
  /** What requests are sent with. Text from the service that contains any of its secrets is left out. */
  credentials: Pick<Credentials, 'secrets' | 'advice'>;
  /** What the body of a response with another status than 200 says. */
  problemOf(status: number, body: string, headers: Headers): ServiceProblem;
}

/** Turns everything that can go wrong with a request into a CallError of the right kind, without showing a secret. */
export class CallErrors {
  readonly #table: FailureTable;
  readonly #credentials: CallErrorsOptions['credentials'];
  readonly #problemOf: CallErrorsOptions['problemOf'];

  constructor({ failureTable, credentials, problemOf }: CallErrorsOptions) {
    this.#table = failureTable;
    this.#credentials = credentials;
    this.#problemOf = problemOf;
  }

  /** @param code by default, the cause */
  of(cause: FailureCause, message: string, details: CallDetails, code: string = cause): CallError {
    return new CallError(kindOfCause(cause, this.#table), code, message, details);
  }

  /** A response with a status other than 200, with the service's own message if there is one. */
  async ofStatus(response: HttpResponse, details: CallDetails): Promise<CallError> {
    const { statusCode, headers, body } = response;
    // A server that responds before it has read the whole request often closes the connection; the status is still
    // valid.
    const bytes = await readStart(body, MAX_PROBLEM_BYTES);
    const text = isEncoded(headers) ? '' : bytes.toString('utf8');
    if (statusCode === 400 && PLAIN_TO_TLS.test(text)) throw new TlsExpected('the service expects TLS');
    const retryAfter = headers['retry-after'];
    const {
      code = '',
      detail,
      rows,
      maxRows,
      meant = statusCode,
      status = meant,
    } = this.#problemOf(statusCode, text, headers);
    const { secrets, advice } = this.#credentials;
    // Some proxies echo the request, including its headers.
    const isSafe = (text: string): boolean => text !== '' && !secrets.areIn(text);
    const said = isSafe(detail) ? sanitize(detail) : '';
    return new CallError(
      kindOfStatus(status, this.#table),
      isSafe(code) ? code : `http_${statusCode}`,
      `the service responded with ${statusCode}${said === '' ? '' : `: ${said}`}`,
      {
        ...details,
        status: statusCode,
        maxRows,
        rows: rows?.map(({ row, message }) => ({
          row,
          message: `the service responded with ${statusCode}: ${isSafe(message) ? sanitize(message) : HIDDEN}`,
        })),
        refusesKey: meant === REFUSED_KEY,
        hint: hintOfStatus(meant, { code, advice }),
        retryAfter: readRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now()),
      },
    );
  }

  /** A response that must not be merged. */
  ofInvalidResponse(
    { classesChanged, code, message }: InvalidResponse,
    response: string,
    details: CallDetails,
  ): CallError {
    const isSecret = [response, message].some(text => this.#credentials.secrets.areIn(text));
    const hint = classesChanged
      ? 'The report has changed since the run began. Start over with --restart.'
      : undefined;
    return this.of(
      classesChanged ? 'classes_changed' : 'invalid_body',
      isSecret ? `the response is invalid; ${HIDDEN}` : message,
      { ...details, hint, needsRestart: classesChanged },
      code,
    );
  }

  /** An error below HTTP. */
  ofError(thrown: unknown, { location }: CallDetails, options: BelowHttpOptions): RowcastError {
    if (thrown instanceof RowcastError) return thrown;
    const details = { location, cause: thrown };
    if (options.isClosed) return this.of('client_closed', 'the client was closed', details);
    const error = thrown as NodeJS.ErrnoException; // undici only throws errors
    const { name, code, message } = error;
    if (thrown instanceof NoCredentials)
      return this.of(
        'service_unreachable',
        `there are no credentials for this request: ${sanitize(message)}`,
        {
          ...details,
          hint: `${this.#credentials.advice}.`,
        },
      );
    const why = permanentError(error, options.hasConnected);
    if (why !== undefined)
      return this.of('permanent_error', why.message, { ...details, hint: why.hint }, why.code);
    if (name === 'AbortError') return this.of('service_timeout', options.late, details);
    if (code === 'UND_ERR_HEADERS_OVERFLOW')
      return this.of(
        'headers_too_large',
        `response headers exceed the limit of ${countOf(MAX_HEADER_BYTES, 'byte')}`,
        details,
      );
    const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
    const isBroken = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code?.startsWith('HPE_');
    if (isBroken)
      return this.of('connection_broken', `the connection was closed: ${sanitize(reason)}`, {
        ...details,
        hint: options.brokenHint,
      });
    const reported = connectReason(error) ?? sanitize(reason);
    return this.of('service_unreachable', `cannot connect to the service: ${reported}`, {
      ...details,
      hint:
        thrown instanceof ProxyUnreachable
          ? 'Check the proxy and the URL, and whether the proxy is running.'
          : 'Check the URL and whether the service is running.',
    });
  }

  /** A response that cannot be one to its request, or cannot be read. */
  ofUnusable(cause: keyof typeof unusable, details: CallDetails): CallError {
    const { is, hint } = unusable[cause];
    return this.of(cause, is, { ...details, hint });
  }

  tooLarge(limit: number, details: CallDetails): CallError {
    return this.of(
      'answer_too_large',
      `response body exceeds the limit of ${countOf(limit, 'byte')}`,
      details,
    );
  }
}

/** What may be wrong with a response as a whole. */
const unusable = {
  // The request is retried, on another connection.
  other_response: {
    is: 'the response carries the id of another request',
    hint: 'The service, or a proxy in front of it, mixes up responses.',
  },
  encoded_answer: {
    is: 'the response is compressed, although compression was not requested',
    hint: 'Turn off compression in the service or in the proxy in front of it.',
  },
  surplus_bytes: {
    is: 'the connection delivered more than one response',
    hint: 'The service, or a proxy in front of it, sends more data than it announces, so responses may be mixed up.',
  },
} as const;

/** What the body of an error says. */
export interface ServiceProblem {
  /** A stable name, in snake_case. */
  code?: string | undefined;
  /** A sentence for people, or the whole text. */
  detail: string;
  /** The rows at fault, if the service names them. */
  rows?: readonly RowFault[] | undefined;
  /** The largest number of rows that a request may have, if the service says that it was too large. */
  maxRows?: number | undefined;
  /** The status that the model itself gave, if a server in front of it responds with another one. */
  status?: number | undefined;
  /** The status that says what happened, if the server itself responds with another one. */
  meant?: number | undefined;
}

/**
 * A hint for the user, if there is one for this status and problem code.
 *
 * @param advice what to check if the service does not let a request in
 */
function hintOfStatus(
  status: number,
  { code, advice }: { code: string; advice: string },
): string | undefined {
  if (status === 401) return `${advice}, and --auth.`;
  if (status === 403) return `${advice}.`;
  if (status === 407) return PROXY_ASKS;
  if (status === 404) return 'Check the report and the URL.';
  // A record or header that is too large does not depend on the batch size.
  if (code === 'record_too_long' || code === 'too_many_columns') return undefined;
  if (status === 413) return 'Use a smaller --batch-rows or --batch-bytes.';
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, to protect the key: give the final URL.';
  return undefined;
}

/**
 * Parses a Retry-After header, a number of seconds or a date (RFC 9110 section 10.2.3).
 *
 * @returns seconds; undefined if the header is invalid
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
