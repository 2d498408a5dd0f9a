import type { FastifyBaseLogger } from 'fastify';
import type { Observer } from './answered.ts';

/** One line a request. */
export function requestLog(log: FastifyBaseLogger): Observer {
  return {
    answered({ id, method, route, path, status, milliseconds, key }) {
      const ms = Math.round(milliseconds);
      const whose = key === undefined ? '' : `key ${key}, `;
      log.info(
        { reqId: id, method, route, path, status, ms, ...(key !== undefined && { key }) },
        `${method} ${path} ${status} in ${ms} ms (${whose}request ${id})`,
      );
    },
  };
}
