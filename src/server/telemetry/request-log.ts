import type { FastifyBaseLogger } from 'fastify';
import type { RequestObserver } from './request-observer.ts';

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
