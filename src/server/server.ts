import type { Server as TlsServer } from 'node:https';
import fastify from 'fastify';
import { RowcastError } from '../base/errors.ts';
import { isUnspecified } from '../base/scheme.ts';
import { removeUnfinished } from '../storage/local/home-folder.ts';
import { type Admin, startAdmin } from './admin/admin.ts';
import { Readiness } from './admin/readiness.ts';
import { KeyRing } from './auth/key-ring.ts';
import { OWN_KEY } from './auth/principal.ts';
import { handleRequests, requestIdHeader, requestIdOf } from './handle-requests.ts';
import { checkHosts } from './http/check-head.ts';
import type { ServerConnections } from './http/connections.ts';
import { replaceCertificate, serverFactory } from './http/http-server.ts';
import { type Closing, closings } from './http/unused-connections.ts';
import { FairUse } from './limits/fair-use.ts';
import { type Refusal, refusals } from './limits/shares.ts';
import { ModelCache, preloadModels } from './predict/model-cache.ts';
import { sendClientError, sendProblem } from './problems/problems.ts';
import { drainRequest } from './request-end.ts';
import { publicRoutes, userRoutes } from './routes.ts';
import type { RunningService, RunningServiceOptions, Shared } from './service.ts';
import { defaultLimits } from './service-limits.ts';
import {
  eventLog,
  type HandshakeFailure,
  handshakeFailureOf,
  handshakeFailures,
} from './telemetry/event-log.ts';
import { observe, observeMalformed, requestLog } from './telemetry/request-observer.ts';
import { ServiceThreads } from './threads/service-threads.ts';

const CLOSE_MS = 8_000;

/**
 * Starts the prediction service. It starts listening only once it is ready.
 *
 * @throws RowcastError `cannot_listen` if the address is not available, `bad_certificate`, `unreadable_home`
 */
export async function startServer(options: RunningServiceOptions): Promise<RunningService> {
  const { home, host, port, key, storedKeys, tls, maxRequestsPerSecond, maxRowsPerSecond, log } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const keys = new KeyRing({
    own: key === undefined ? undefined : { name: OWN_KEY, key },
    home: storedKeys ? home : undefined,
  });
  const { metrics, observers, onClosing, onRefused, onHandshakeFailed } = await openServiceTelemetry(
    options,
    () => models.loaded,
  );
  const readiness = new Readiness(home);
  let isClosing = false;
  let connections: ServerConnections | undefined;
  const app = fastify({
    serverFactory: serverFactory(limits, tls, onClosing, opened => {
      connections = opened;
    }),
    // Fastify's own lines about listening and requests are replaced by ours.
    ...(log === undefined ? {} : { loggerInstance: log.child({}, { level: 'warn' }) }),
    genReqId: requestIdOf,
    // A data directory may hold more than can be looked at in the usual ten seconds.
    pluginTimeout: 0,
    // The routes respond with 503 themselves, as a problem document.
    return503OnClosing: false,
    // An invalid URL is rejected before any route or hook runs.
    frameworkErrors: (error, request, reply) => {
      observe(request, reply, observers);
      drainRequest(request, reply, limits.drainMs);
      return sendProblem(error, request, reply.header(requestIdHeader, request.id));
    },
    clientErrorHandler(error, socket) {
      const failure = handshakeFailureOf(error);
      if (failure !== undefined) onHandshakeFailed(failure);
      sendClientError(error, socket, status => observeMalformed(socket.remoteAddress, status, observers));
    },
  });
  const onDeath = (failure: RowcastError): void =>
    log?.error({ event: 'thread_died', err: failure }, `${failure.message}; its requests have failed`);
  const threads = new ServiceThreads(onDeath, options.threads);
  const models = new ModelCache(home, undefined, model => threads.closeModel(model));
  const fairUse = new FairUse(limits, maxRowsPerSecond, onRefused);
  const shared: Shared = {
    home,
    host,
    isEncrypted: tls !== undefined,
    keys,
    models,
    threads,
    limits,
    fairUse,
    limitRate: undefined,
    isClosing: () => isClosing,
    onScored(request, personas) {
      request.rows += personas;
      metrics?.scored(personas);
    },
  };
  handleRequests(app, shared, observers, options.extension?.notFound);
  checkHosts(app, host);
  // Beside the start: there may be many folders, and nobody waits for it.
  void removeUnfinished(home);
  app.register(publicRoutes, { readiness, metrics });
  shared.limitRate = await openRateLimit();
  app.register(user => userRoutes(user, shared), { prefix: '/user' });
  if (options.extension !== undefined) app.register(options.extension.routes, shared);
  let url: string;
  try {
    if (options.preloadMs !== undefined) await preloadModels(home, models, options.preloadMs);
    url = withBoundHost(await app.listen({ host, port }), host);
  } catch (cause) {
    models.close();
    await app.close();
    if (cause instanceof RowcastError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowcastError('cannot_listen', `cannot listen on ${host}:${port}: ${reason}`, {
      hint: 'Choose a free --port and an address of this machine.',
      cause,
    });
  }
  const admin = await openAdmin();
  return {
    adminUrl: admin?.url,
    url: tls === undefined ? url : url.replace(/^http:/, 'https:'),
    reload(next) {
      keys.forget();
      // A server that was created with a certificate is a TLS server.
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
      await threads.end();
      await admin?.close();
      return cut;
    },
  };

  /** Imported only if used. */
  async function openRateLimit(): Promise<Shared['limitRate']> {
    if (maxRequestsPerSecond === undefined) return undefined;
    const { rateLimitHook } = await import('./limits/rate-limit.ts');
    return rateLimitHook(app, maxRequestsPerSecond, () => onRefused('request_rate'));
  }

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

/** Fastify names one address of the machine, such as 127.0.0.1, also if the service listens on all of them. */
function withBoundHost(url: string, host: string): string {
  if (!isUnspecified(host)) return url;
  return `http://${host === '::' ? '[::]' : host}:${new URL(url).port || '80'}`;
}

/** The service's metrics and log events. */
async function openServiceTelemetry(
  { metrics: hasMetrics, log }: RunningServiceOptions,
  reportsLoaded: () => number,
) {
  // Imported only if used: it takes longer to load than everything else.
  const metrics = hasMetrics
    ? (await import('./telemetry/metrics.ts')).openMetrics(reportsLoaded)
    : undefined;
  const closed = eventLog(log, 'connections_closed', 'closed connections at their limits', closings);
  const refused = eventLog(log, 'requests_refused', 'rejected or aborted', refusals);
  const handshakes = eventLog(log, 'handshakes_failed', 'TLS handshakes failed', handshakeFailures);
  const observers = [log && requestLog(log), metrics].filter(observer => observer !== undefined);
  return {
    metrics,
    observers,
    onClosing(closing: Closing): void {
      metrics?.connectionClosed(closing);
      closed(closing);
    },
    onRefused(refusal: Refusal): void {
      metrics?.refused(refusal);
      refused(refusal);
    },
    onHandshakeFailed(failure: HandshakeFailure): void {
      metrics?.handshakeFailed(failure);
      // Load balancers probe a port by connecting to it every few seconds.
      if (failure !== 'closed') handshakes(failure);
    },
  };
}
