import type { Server as TlsServer } from 'node:https';
import { Readable } from 'node:stream';
import fastify, { type FastifyBaseLogger, type FastifyRequest } from 'fastify';
import { RowcastError } from '../errors.ts';
import { type Admin, startAdmin } from './admin.ts';
import { answerClientError, answerProblem } from './answer-problem.ts';
import { type Observer, observe, observeAll, observeMalformed } from './answered.ts';
import { ClosingsLog } from './closings-log.ts';
import type { Connections } from './connections.ts';
import { checkHosts } from './hosts.ts';
import { serverFactory } from './http-server.ts';
import { KeyRing } from './key-ring.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { linger } from './linger.ts';
import { Models } from './models.ts';
import { openRoutes } from './open-routes.ts';
import { Readiness } from './readiness.ts';
import { onRequestEnd } from './request-end.ts';
import { requestIdHeader, requestIdOf } from './request-id.ts';
import { requestLog } from './request-log.ts';
import { noSuchEndpoint, userRoutes } from './routes.ts';
import { replaceCertificate, type Tls } from './tls.ts';

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
  /** Where /healthz, /readyz and /metrics are served from a thread of their own too; 0 takes any port that is free. */
  adminPort?: number | undefined;
  /** Whether to count, and tell, how the service does at /metrics. */
  metrics?: boolean;
  /** Told one line a request, and what goes wrong. */
  log?: FastifyBaseLogger;
  limits?: Partial<Limits>;
}

export interface Service {
  /** Without a slash at its end. */
  url: string;
  /** That of the admin port, where there is one. */
  adminUrl: string | undefined;
  /**
   * Reads the stored keys again, and presents another certificate to connections from here on.
   *
   * @throws RowcastError `bad_certificate`; then the present one stays
   */
  reload(tls: Tls | undefined): void;
  /** Reports the service as not ready from here on; it serves all the same, until it is closed. */
  drain(): void;
  /**
   * Stops accepting connections, finishes the requests that were begun, refuses later ones with 503, then frees the
   * models. What is not finished after `timeout` milliseconds, such as a request of which half was sent, is cut off.
   *
   * @returns how many connections were cut off
   */
  close(timeout?: number): Promise<number>;
}

const CLOSE_MS = 8_000;

/** What the key of the options is called in the log; no stored key can have the name. */
const OWN_KEY = '(own)';

/**
 * Starts the prediction service. It listens only when it is ready.
 *
 * @throws RowcastError `cannot_listen` where the address cannot be had, `bad_certificate`
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { home, host, port, key, storedKeys, tls, rateLimit, log } = options;
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
  const closings = log && new ClosingsLog(log, limits.connections);
  const readiness = new Readiness(home);
  let isClosing = false;
  let connections: Connections | undefined;
  const app = fastify({
    serverFactory: serverFactory(limits, tls, {
      onConnections(opened) {
        connections = opened;
      },
      onClosing(closing) {
        metrics?.connectionClosed(closing);
        closings?.add(closing);
      },
    }),
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
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket, status => observeMalformed(socket.remoteAddress, status, observers)),
  });
  const models = await Models.open(home);
  app.removeAllContentTypeParsers();
  // The routes read it themselves, in slices.
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => body,
  );
  app.setErrorHandler(answerProblem);
  app.setNotFoundHandler(noSuchEndpoint);
  app.decorateRequest('holder', null);
  app.decorateRequest('report', undefined);
  app.decorateRequest('rows', 0);
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
  // So that the client knows; one with another request before its own would lose that one's response.
  app.addHook('onSend', async ({ raw }, reply) => {
    if (isClosing && raw.complete && connections?.isAlone(raw)) reply.header('connection', 'close');
  });
  checkHosts(app, host);
  app.register(openRoutes, { readiness, metrics });
  app.register(userRoutes, {
    prefix: '/user',
    home,
    keys,
    models,
    limits,
    rateLimit,
    isClosing: () => isClosing,
    onScored(request, personas) {
      request.rows += personas;
      metrics?.scored(personas);
    },
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
  const admin = await openAdmin();
  return {
    adminUrl: admin?.url,
    url: tls === undefined ? url : url.replace(/^http:/, 'https:'),
    reload(next) {
      keys.forget();
      // Only a server that was made with a certificate is one of TLS.
      if (tls !== undefined && next !== undefined) replaceCertificate(app.server as TlsServer, next);
    },
    drain: () => readiness.drain(),
    async close(timeout = CLOSE_MS) {
      readiness.drain();
      isClosing = true;
      let cut = 0;
      const late = setTimeout(() => {
        cut = connections?.cut() ?? 0;
      }, timeout);
      const closed = app.close();
      connections?.end();
      await closed;
      clearTimeout(late);
      models.close();
      await admin?.close();
      return cut;
    },
  };

  async function openAdmin(): Promise<Admin | undefined> {
    if (options.adminPort === undefined) return undefined;
    try {
      return await startAdmin({
        host,
        port: options.adminPort,
        readiness: () => readiness.problem(),
        metrics,
        log,
      });
    } catch (error) {
      models.close();
      await app.close();
      throw error;
    }
  }
}
