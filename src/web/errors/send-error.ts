import type { FastifyReply, FastifyRequest } from 'fastify';
import { prepareProblem, problemType } from '../../server/problems/problems.ts';
import { sendPage } from '../page.ts';
import { setSecurityHeaders } from '../security-headers.ts';
import { errorPage } from './error-page.ts';
import { isPageRequest } from './page-request.ts';
import { platformProblem } from './problem-of.ts';

/** Responds with an error: a page for a page, a problem document for modules and programs. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = prepareProblem(error, request, reply, platformProblem(error));
  // The request may have failed before the hook that adds these headers.
  setSecurityHeaders(reply).code(problem.status);
  if (isPageRequest(request)) return sendPage(request, reply, errorPage(problem, request.id));
  // As bytes, because Fastify adds a charset to text, which this media type does not have.
  return reply.type(problemType).send(Buffer.from(JSON.stringify(problem)));
}
