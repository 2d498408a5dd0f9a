import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../base/contract/schemas.ts';
import { prepareProblem, problemType, RequestError } from '../../server/problems/problems.ts';
import { noSuchEndpoint } from '../../server/routes.ts';
import { html } from '../html.ts';
import { type Page, sendPage, setSecurityHeaders } from '../page.ts';
import { sentence } from '../texts.ts';
import { platformProblem } from './shown-error.ts';

/** Responds with an error: a page for a page, a problem document for modules and programs. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = prepareProblem(error, request, reply, platformProblem(error));
  // The request may have failed before the hook that adds these headers.
  setSecurityHeaders(reply).code(problem.status);
  if (isPageRequest(request)) return sendPage(request, reply, errorPage(problem, request.id));
  // As bytes, because Fastify adds a charset to text, which this media type does not have.
  // Of a form: where its page shows the error.
  const { field } = Object(error);
  return reply.type(problemType).send(Buffer.from(JSON.stringify({ ...problem, field })));
}

/** What to do about an error, by code or else by status. */
const advice: Readonly<Record<string, string>> = {
  unauthorized: 'Sign in again.',
  cross_origin: 'Open the platform itself and repeat there what you did.',
  stale_form: 'Go back, load the page again and repeat what you did.',
  missing_scope:
    'Use a key with more rights: ask whoever gave you yours, or create one with “rowcast keys add”.',
  wrong_host: 'Use the address that “rowcast serve” printed, such as http://localhost:8080.',
  no_such_report: 'Check the address, or choose a report from the list. A key may be bound to some reports.',
  damaged_report: 'Train or import the report again.',
  damaged_data: 'Delete the data on the first page, and upload the file again.',
  data_in_use: 'Wait until the training has ended, or cancel it.',
  quota_exceeded: 'Delete data, runs or reports that are no longer needed.',
  home_unavailable: 'Check the disk and the permissions of the folder that “rowcast serve” uses.',
  internal: 'Try again. If it fails again, look into the log of the service for the request below.',
  draining: 'The service is restarting. Try again in a moment.',
};

const byStatus: Readonly<Record<number, string>> = {
  404: 'Check the address, or start from the list of reports.',
  413: 'Send less at a time.',
  429: 'Wait a moment, then try again.',
  503: 'Wait a moment, then try again.',
};

const titles: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not possible here',
  409: 'Something is in the way',
  410: 'Damaged',
  413: 'Too large',
  422: 'This cannot be done as asked',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available right now',
  507: 'No room left',
};

/** A page that says what happened and what to do. */
function errorPage({ status, code, detail }: Problem, requestId: string): Page {
  const title = titles[status] ?? 'The request was refused';
  const next = advice[code] ?? byStatus[status] ?? 'Go back and correct what the message names.';
  return {
    title,
    content: html`
      <div class="message">
        <p class="message-status">${status}</p>
        <h1>${title}</h1>
        <p>${sentence(detail)}</p>
        <p class="muted">${next}</p>
        <p class="row"><a class="button" href="/">Go to the reports</a></p>
        <p class="muted small">${code} · request <code>${requestId}</code></p>
      </div>`,
  };
}

/** Responds to an unknown path: with a page to a browser. */
export function notFoundPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isPageRequest(request)) noSuchEndpoint(request);
  const [path] = request.url.split('?', 1);
  return sendError(new RequestError('no_such_endpoint', `There is no page ${path}.`), request, reply);
}

/** Whether a browser shows the response as a page. The requests of modules, and of programs, get problem documents. */
export const isPageRequest = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '');
