import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { parse } from 'node:querystring';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { removeAbandonedReports } from '../models/store/write-report.ts';
import { shuttingDown } from '../server/admin/readiness.ts';
import { trackAllowedMethods } from '../server/http/method-not-allowed.ts';
import { bodyReader } from '../server/http/request-body.ts';
import { JsonReader, tooManyMembers } from '../server/predict/json-reader.ts';
import { RequestError } from '../server/problems/problems.ts';
import type { Extension, Shared } from '../server/service.ts';
import { toUnreadableHome } from '../storage/local/home-folder.ts';
import { assetRoutes } from './assets.ts';
import type { PlatformContext } from './context.ts';
import { DataStore } from './data/data-store.ts';
import { dataRoutes } from './data/routes.ts';
import { notFoundPage, sendError } from './errors/send-error.ts';
import { keyRoutes } from './keys/routes.ts';
import { setSecurityHeaders } from './page.ts';
import { reportRoutes } from './report/routes.ts';
import { runRoutes } from './runs/routes.ts';
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

/** Forms of many columns are a few hundred KiB. Routes that take files have parsers of their own. */
const FORM_BYTES = 4 * 1024 * 1024;
/** The form for a training has several controls for each of up to 2,000 columns. */
const MAX_CONTROLS = 20_000;
/** A persona has up to a thousand fields. */
const JSON_BYTES = 1024 * 1024;

/** Accepts forms and JSON of limited size and duration. */
export async function acceptForms(app: FastifyInstance, { limits, fairUse }: PlatformContext): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_: FastifyRequest, body: string) => readForm(body),
  );
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: JSON_BYTES },
    async (_: FastifyRequest, body: Buffer) => readFormJson(body),
  );
  const read = bodyReader(limits, fairUse.shares.bodies);
  app.addHook('preParsing', async function (request, reply, payload) {
    const type = request.headers['content-type'] ?? '';
    const isSmall = /^application\/(json|x-www-form-urlencoded)\b/i.test(type);
    return isSmall ? read.call(this, request, reply, payload) : payload;
  });
}

/** Reads a form; of a control that is sent twice, a list. */
function readForm(text: string): Record<string, unknown> {
  let controls = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++controls > MAX_CONTROLS) throw tooManyMembers('The form', MAX_CONTROLS);
  // By default, it would drop what follows the first thousand.
  return parse(text, '&', '=', { maxKeys: 0 });
}

/** Maximum controls of such a form: that of a persona has a thousand fields, and a few more controls. */
const MAX_JSON_CONTROLS = 2_000;

/**
 * Reads the controls of a form that a page sends as JSON: an object of texts, numbers and the like. Lists and objects
 * are ignored. Objects with many different names take `JSON.parse` seconds; see `JsonReader`.
 *
 * @throws RequestError `malformed`, `too_many_members`
 */
export function readFormJson(body: Buffer): Readonly<Record<string, unknown>> {
  if (!isUtf8(body)) throw new RequestError('malformed', 'The body is not UTF-8.');
  const json = new JsonReader(body, MAX_JSON_CONTROLS);
  if (!json.nextIsObject()) throw new RequestError('malformed', 'The body is not a JSON object.');
  const controls = new Map<string, unknown>();
  if (json.enter())
    do {
      const { name } = json.name();
      const value = json.scalar();
      if (value !== undefined) controls.set(name, value);
    } while (json.anotherMember());
  json.end();
  return Object.fromEntries(controls);
}
