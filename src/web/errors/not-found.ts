import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../../server/problems/problems.ts';
import { noSuchEndpoint } from '../../server/routes.ts';
import { isPageRequest } from './page-request.ts';
import { sendError } from './send-error.ts';

/** Responds to an unknown path: with a page to a browser. */
export function notFoundPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isPageRequest(request)) noSuchEndpoint(request);
  const [path] = request.url.split('?', 1);
  return sendError(new RequestError('no_such_endpoint', `There is no page ${path}.`), request, reply);
}
