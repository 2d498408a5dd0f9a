import type { FastifyRequest } from 'fastify';

/** Whether a browser shows the response as a page. The requests of modules, and of programs, get problem documents. */
export const isPageRequest = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '');
