import { join } from 'node:path';
import cookie from '@fastify/cookie';
import type { FastifyPluginAsync } from 'fastify';
import { removeAbandonedReports } from '../models/store/write-report.ts';
import { shuttingDown } from '../server/admin/readiness.ts';
import { trackAllowedMethods } from '../server/http/method-not-allowed.ts';
import type { Extension, Shared } from '../server/service.ts';
import { toUnreadableHome } from '../storage/local/home-folder.ts';
import { assetRoutes } from './assets.ts';
import { acceptForms } from './bodies.ts';
import type { PlatformContext } from './context.ts';
import { DataStore } from './data/data-store.ts';
import { dataRoutes } from './data/routes.ts';
import { notFoundPage, sendError } from './errors/send-error.ts';
import { keyRoutes } from './keys/routes.ts';
import { reportRoutes } from './report/routes.ts';
import { runRoutes } from './runs/routes.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { checkCsrf, refuseOtherOrigins } from './session/csrf.ts';
import { requireSession } from './session/require-session.ts';
import { Sessions, SignInTokens } from './session/sessions.ts';
import { endDownloads } from './session/with-session.ts';
import { signInRoutes, signOutRoutes } from './sign-in.ts';
import { trainingRoutes } from './trainings/routes.ts';
import { countReports } from './trainings/trainings.ts';

/** The web platform, to be served next to the API. */
export interface Platform extends Extension {
  /** A URL that signs in whoever opens it first, as the owner of the service. It must be shown to nobody else. */
  signInUrl(serviceUrl: string): string;
}

export function openPlatform(options: Pick<PlatformContext, 'dataBytes'>): Platform {
  const tokens = new SignInTokens();
  return {
    routes: platformRoutes({ ...options, tokens }),
    notFound: notFoundPage,
    signInUrl: serviceUrl => `${serviceUrl}/sign-in?token=${tokens.create()}`,
  };
}

/** The pages of the platform, and the routes under /platform that they use. */
const platformRoutes =
  (options: Pick<PlatformContext, 'dataBytes' | 'tokens'>): FastifyPluginAsync<Shared> =>
  async (app, shared) => {
    const { home, keys, isClosing } = shared;
    const sessions = new Sessions(keys);
    const data = await DataStore.open(home, options.dataBytes, uploads =>
      app.log.warn(
        { event: 'uploads_removed', count: uploads },
        `removed ${uploads} unfinished ${uploads === 1 ? 'upload' : 'uploads'} of an earlier process`,
      ),
    ).catch(toUnreadableHome(join(home, 'data'), 'data'));
    await removeAbandonedReports(home);
    const reportSpace = await countReports(home, data.quota).catch(
      toUnreadableHome(join(home, 'trainings'), 'trainings'),
    );
    const context: PlatformContext = { ...shared, ...options, sessions, data, reportSpace, log: app.log };
    // Before the server waits for responses that end only with their session.
    app.addHook('preClose', async () => sessions.close());
    app.setErrorHandler(sendError);
    app.addHook('onRequest', async (_, reply) => {
      setSecurityHeaders(reply);
      if (!isClosing()) return;
      reply.header('retry-after', '1');
      throw shuttingDown();
    });
    refuseOtherOrigins(app);
    await app.register(cookie);
    await acceptForms(app, context);
    app.decorateRequest('session', null);
    const refuseOtherMethods = trackAllowedMethods(app);
    await app.register(assetRoutes);
    await app.register(signInRoutes, context);
    await app.register(async signedIn => {
      requireSession(signedIn, context);
      checkCsrf(signedIn);
      endDownloads(signedIn);
      for (const routes of [dataRoutes, trainingRoutes, runRoutes, reportRoutes, keyRoutes, signOutRoutes])
        await signedIn.register(routes, context);
    });
    refuseOtherMethods();
  };
