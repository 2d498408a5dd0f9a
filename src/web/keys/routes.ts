import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { RowcastError } from '../../base/errors.ts';
import { reportIds } from '../../models/store/report-store.ts';
import { readKeyFile } from '../../server/auth/key-file.ts';
import { addKey, listKeys, revokeKey } from '../../server/auth/key-store.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/send-error.ts';
import { platformProblem } from '../errors/shown-error.ts';
import { addNotice } from '../notice.ts';
import { sendPage } from '../page.ts';
import { mayCreate, requireUnbound, sessionOf } from '../session/require-session.ts';
import type { Session } from '../session/sessions.ts';
import { sentence } from '../texts.ts';
import { emptyFields, type KeyFormView, newKeyFields, newKeyOf } from './new-key-form.ts';
import { keyRows, keysPage, mayRevoke, type NewlyCreated, noRightsPage } from './page.ts';

/** The files of all keys are looked at whenever one of them changes. */
const MAX_KEYS = 1_000;

/** GET /keys, and the routes that create and revoke keys. */
export const keyRoutes: FastifyPluginAsync<PlatformContext> = async (app, { home }) => {
  /** Keys that were created and not shown yet; gone with their sessions. */
  const created = new WeakMap<Session, NewlyCreated[]>();

  app.get('/keys', async (request, reply) => {
    const session = sessionOf(request);
    if (!mayCreate(session.principal)) return sendPage(request, reply.code(403), noRightsPage);
    // A look with HEAD must not use up the one time that the key is shown.
    const shown = request.method === 'GET' ? created.get(session)?.splice(0) : undefined;
    return show(request, reply, { fields: emptyFields }, shown);
  });

  app.post('/platform/keys', async (request, reply) => {
    requireUnbound(request);
    const session = sessionOf(request);
    const fields = newKeyFields.parse(Object(request.body));
    try {
      if ((await listKeys(home)).length >= MAX_KEYS)
        throw new RowcastError(
          'bad_option',
          `there are ${MAX_KEYS} keys already: revoke those that are not used`,
        );
      const key = await addKey(home, fields.name, newKeyOf(fields, session.principal));
      created.set(session, [...(created.get(session) ?? []), { name: fields.name, key }]);
    } catch (error) {
      if (!(error instanceof RowcastError) || !isPageRequest(request)) throw error;
      const { status, detail } = platformProblem(error);
      return show(request, reply.code(status), { fields, message: sentence(detail) });
    }
    return reply.redirect('/keys', 303);
  });

  app.post<{ Params: { name: string } }>('/platform/keys/:name/revoke', async (request, reply) => {
    requireUnbound(request);
    const session = sessionOf(request);
    const { name } = request.params;
    if (!mayRevoke(session.principal, (await readKeyFile(home, name))?.key))
      throw new RequestError(
        'missing_scope',
        'The key grants more than yours, or for longer, so yours cannot revoke it.',
      );
    await revokeKey(home, name);
    addNotice(session, { kind: 'good', text: `The key “${name}” is revoked.` });
    return reply.redirect('/keys', 303);
  });

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    form: Pick<KeyFormView, 'fields' | 'message'>,
    created: readonly NewlyCreated[] = [],
  ): Promise<FastifyReply> {
    const [rows, reports] = await Promise.all([keyRows(home), reportIds(home)]);
    return sendPage(
      request,
      reply,
      keysPage(rows, created, { ...form, reports, session: sessionOf(request) }),
    );
  }
};
