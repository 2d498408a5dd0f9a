import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { onRequestEnd } from '../request-end.ts';

/** A completed request, for the log and the metrics; contains nothing of its body. */
export interface RequestRecord {
  /** Also returned as X-Request-Id. */
  id: string;
  method: string;
  /** The route's pattern, such as `/user/report/:id`; `none` if there is no such endpoint. */
  route: string;
  /** The sanitized path; see `loggedPath`. */
  path: string;
  /** The address of the client, or of the proxy in front. */
  address: string | undefined;
  /** The report that was used; undefined if none was found. */
  report: string | undefined;
  /** Rows or personas that received a prediction. */
  rows: number;
  /** `gone` if the client disconnected before the end of the response. */
  status: number | 'gone';
  milliseconds: number;
  /** The name of the request's key. */
  key: string | undefined;
}

/** Notified when a request starts and when it ends. */
export interface RequestObserver {
  started?(): void;
  ended(request: RequestRecord): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The report that the request named, once its key grants access to it; see `authorize`. */
    report: string | undefined;
    /** Personas that have received a prediction so far. */
    rows: number;
  }
}

/** Whether the report exists. Unknown ids are not logged, since they could be anything, such as a misplaced key. */
const isFound = (status: number): boolean => status < 400 || status === 410 || status === 422;

/** Notifies observers of a request's start, now, and of its end. */
export function observe(
  request: FastifyRequest,
  reply: FastifyReply,
  observers: readonly RequestObserver[],
): void {
  const startedAt = performance.now();
  for (const observer of observers) observer.started?.();
  onRequestEnd(reply, () => {
    const isUsed = request.rows > 0 || (isFound(reply.statusCode) && reply.sent);
    const report = isUsed ? request.report : undefined;
    const route = request.routeOptions.url ?? 'none';
    const record: RequestRecord = {
      id: request.id,
      method: request.method,
      route,
      path: loggedPath(request.url, report),
      address: request.ip,
      report,
      // Not set yet if the path was rejected before routing.
      rows: request.rows ?? 0,
      status: reply.raw.writableFinished ? reply.statusCode : 'gone',
      milliseconds: performance.now() - startedAt,
      key: request.principal?.name,
    };
    for (const observer of observers) observer.ended(record);
  });
}

/**
 * Notifies observers of a request that was rejected while reading its headers: malformed, too large or too slow.
 *
 * @param status the status of the response
 */
export function observeMalformed(
  address: string | undefined,
  status: number,
  observers: readonly RequestObserver[],
): void {
  const record: RequestRecord = {
    id: randomUUID(),
    method: 'none',
    route: 'malformed',
    path: '(malformed head)',
    address,
    status,
    report: undefined,
    rows: 0,
    milliseconds: 0,
    key: undefined,
  };
  for (const observer of observers) {
    observer.started?.();
    observer.ended(record);
  }
}

/** The path segments of our routes. */
const known: ReadonlySet<string> = new Set([
  ...['user', 'persona', 'batch-persona', 'batch-predict', 'report', 'testing-results'],
  ...['assets', 'data', 'keys', 'platform', 'predict', 'predictions', 'runs', 'sign-in', 'sign-out'],
  ...['reports', 'curve', 'delete', 'testing-results.csv'],
  ...['healthz', 'readyz', 'metrics', 'openapi.json'],
]);

/**
 * A request's path for the log, without its query. Segments that are neither part of our routes nor the report that was
 * used become “…”: people paste keys into URLs by mistake, and a key cannot be distinguished from any other word.
 *
 * @param report the id of an existing report
 */
function loggedPath(url: string, report: string | undefined): string {
  const [path = ''] = url.split('?', 1);
  const words = path
    .split('/', 5)
    .map(word => (word === '' || known.has(word) || word === report ? word : '…'));
  return words.join('/') || '/';
}

/** One line per request: server errors as errors, rejected and aborted requests as warnings. */
export function requestLog(log: FastifyBaseLogger): RequestObserver {
  return {
    ended({ id, method, route, path, address, report, rows, status, milliseconds, key }) {
      const ms = Math.round(milliseconds);
      const whose = key === undefined ? '' : `key ${key}, `;
      const what = rows === 0 ? '' : `, ${rows} ${rows === 1 ? 'row' : 'rows'} of report ${report}`;
      log[levelOf(status)](
        {
          event: 'request',
          reqId: id,
          method,
          route,
          path,
          address,
          status,
          ms,
          rows,
          ...(report !== undefined && { report }),
          ...(key !== undefined && { key }),
        },
        `${method} ${path} ${status} in ${ms} ms${what} (${whose}from ${address}, request ${id})`,
      );
    },
  };
}

function levelOf(status: number | 'gone'): 'info' | 'warn' | 'error' {
  if (status === 'gone') return 'warn';
  if (status === 503 || status < 500) return status < 400 ? 'info' : 'warn';
  return 'error';
}
