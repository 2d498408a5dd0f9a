import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { Models } from './models.ts';
import { problemFrom, problemType } from './problems.ts';
import { noSuchEndpoint, userRoutes } from './routes.ts';

export interface ServiceOptions {
  /** Where the reports are; those that are trained later are served too. */
  home: string;
  host: string;
  /** 0 takes any that is free. */
  port: number;
  key: string;
  /** Told one line a request, and what goes wrong. */
  log?: FastifyBaseLogger;
  /** Milliseconds that closing waits for requests that were begun; by default 8,000. */
  drain?: number;
}

export interface Service {
  /** Without a slash at its end. */
  url: string;
  /**
   * Answers what it has begun, refuses what comes after with 503, then frees the models. What is not whole when
   * the drain is over, such as a request of which half was sent, is cut off.
   */
  close(): Promise<void>;
}

/** A command that serves ends within 10 s of a signal (DESIGN.md section 6), with time to spare. */
const DRAIN_MS = 8_000;
const largestBodyBytes = 32 * 1024 * 1024;

/**
 * Starts the prediction service.
 *
 * @throws RowcastError `cannot_listen` where the address cannot be had
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { home, host, port, key, log, drain = DRAIN_MS } = options;
  const models = await Models.open(home);
  let draining = false;
  const app = fastify({
    // Its own lines about listening and requests are replaced by ours.
    ...(log === undefined ? {} : { loggerInstance: log.child({}, { level: 'warn' }) }),
    bodyLimit: largestBodyBytes,
    // Both names are columns like any other here: features are only read, by names that the report has.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    // The routes answer 503 themselves, as a problem.
    return503OnClosing: false,
    // A path that is no valid URL, which is refused before any route.
    frameworkErrors: answerProblem,
  });
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler(answerProblem);
  app.setNotFoundHandler(noSuchEndpoint);
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime);
    const path = shown(request.url.split('?', 1)[0] ?? '');
    const { method } = request;
    log?.info(
      { method, path, status: reply.statusCode, ms },
      `${method} ${path} ${reply.statusCode} in ${ms} ms`,
    );
  });
  app.register(userRoutes, { prefix: '/user', home, key, models, draining: () => draining });
  let url: string;
  try {
    url = await app.listen({ host, port });
  } catch (cause) {
    models.close();
    await app.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowcastError('cannot_listen', `the service cannot listen on ${host}:${port}: ${reason}`, {
      cause,
    });
  }
  return {
    url,
    async close() {
      draining = true;
      const cutOff = setTimeout(() => app.server.closeAllConnections(), drain);
      await app.close();
      clearTimeout(cutOff);
      models.close();
    },
  };
}

function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemFrom(error);
  if (problem.status === 500) {
    const reason = error instanceof Error ? error.message : String(error);
    request.log.error({ err: error }, `request failed: ${shown(reason)}`);
  }
  if (problem.code === 'too_large') {
    problem.detail = `The body is over the limit of ${largestBodyBytes} bytes.`;
  }
  // As bytes, since Fastify gives text a charset, which the media type does not have.
  return reply
    .code(problem.status)
    .type(problemType)
    .send(Buffer.from(JSON.stringify(problem)));
}
