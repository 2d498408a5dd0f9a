import { Readable } from 'node:stream';
import fastify, { type FastifyBaseLogger, type FastifyRequest } from 'fastify';
import { RowcastError } from '../errors.ts';
import { answerClientError, answerProblem } from './answer-problem.ts';
import { type Observer, observe, observeAll } from './answered.ts';
import { checkHosts } from './hosts.ts';
import { serverFactory, type Tls } from './http-server.ts';
import { readJson } from './json.ts';
import { KeyRing } from './key-ring.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { linger } from './linger.ts';
import { Models } from './models.ts';
import { openRoutes } from './open-routes.ts';
import { onRequestEnd } from './request-end.ts';
import { requestIdHeader, requestIdOf } from './request-id.ts';
import { requestLog } from './request-log.ts';
import { noSuchEndpoint, userRoutes } from './routes.ts';

export interface ServiceOptions {
  /** Where the reports are; those that are trained later are served too. */
  home: string;
  host: string;
  /** 0 takes any that is free. */
  port: number;
  /** A key for every report. */
  key?: string | undefined;
  /** Whether the keys of the home open the service too (`rowcast keys`), as they are at each request. */
  storedKeys?: boolean;
  /** Serves https. */
  tls?: Tls | undefined;
  /** Requests a second that each key may make; as many as it likes where it is left out. */
  rateLimit?: number | undefined;
  /** Whether to count, and tell, how the service does at /metrics. */
  metrics?: boolean;
  /** Told one line a request, and what goes wrong. */
  log?: FastifyBaseLogger;
  /** Milliseconds that closing waits for requests that were begun; by default 8,000. */
  drain?: number;
  limits?: Partial<Limits>;
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

/** What the key of the options is called in the log; no stored key can have the name. */
const OWN_KEY = '(own)';

/**
 * Starts the prediction service. It listens only when it is ready.
 *
 * @throws RowcastError `cannot_listen` where the address cannot be had, `bad_certificate`
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { home, host, port, key, storedKeys, tls, rateLimit, log, drain = DRAIN_MS } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const keys = new KeyRing({
    own: key === undefined ? undefined : { name: OWN_KEY, key },
    home: storedKeys ? home : undefined,
  });
  // Loaded where it is used only: it takes longer than all the rest.
  const metrics = options.metrics
    ? (await import('./metrics.ts')).openMetrics(() => models.loaded)
    : undefined;
  const observers: Observer[] = [log && requestLog(log), metrics].filter(observer => observer !== undefined);
  let isDraining = false;
  const draining = (): boolean => isDraining;
  const app = fastify({
    serverFactory: serverFactory(limits, tls),
    // Its own lines about listening and requests are replaced by ours.
    ...(log === undefined ? {} : { loggerInstance: log.child({}, { level: 'warn' }) }),
    genReqId: requestIdOf,
    // The routes answer 503 themselves, as a problem.
    return503OnClosing: false,
    // A path that is no valid URL, which is refused before any route and hook.
    frameworkErrors: (error, request, reply) => {
      observe(request, reply, observers);
      linger(request, reply, limits.lingerMs);
      return answerProblem(error, request, reply.header(requestIdHeader, request.id));
    },
    clientErrorHandler: answerClientError,
  });
  const models = await Models.open(home);
  app.removeAllContentTypeParsers();
  // "__proto__" and "constructor" are columns like any other: features are only read, by names that the report has.
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => readJson(body),
  );
  app.setErrorHandler(answerProblem);
  app.setNotFoundHandler(noSuchEndpoint);
  app.decorateRequest('holder', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.header(requestIdHeader, request.id);
    linger(request, reply, limits.lingerMs);
  });
  observeAll(app, observers);
  // What a response reads from is closed with it, even when the response never begins.
  app.addHook('onSend', (_, reply, payload, done) => {
    if (payload instanceof Readable) onRequestEnd(reply, () => payload.destroy());
    done();
  });
  checkHosts(app, host);
  app.register(openRoutes, { draining, metrics });
  app.register(userRoutes, {
    prefix: '/user',
    home,
    keys,
    models,
    limits,
    rateLimit,
    draining,
    onScored: personas => metrics?.scored(personas),
  });
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
    url: tls === undefined ? url : url.replace(/^http:/, 'https:'),
    async close() {
      isDraining = true;
      const cutOff = setTimeout(() => app.server.closeAllConnections(), drain);
      await app.close();
      clearTimeout(cutOff);
      models.close();
    },
  };
}
