import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { keyHash } from '../../server/auth/key-store.ts';
import { WrongKeys } from '../../server/auth/require-key.ts';
import type { PlatformContext } from '../context.ts';
import { html } from '../html.ts';
import { sendPage } from '../page.ts';
import { readCookie, readSession, setCookie } from '../session/cookies.ts';
import { demand, tokenIn } from '../session/csrf.ts';
import type { Holder } from '../session/sessions.ts';
import { formToken, newFormToken } from './form-token.ts';
import { checkSignIn, keyForm } from './key-form.ts';
import { nextPath } from './next-path.ts';
import { signInPage } from './page.ts';

/** A key and the path of a page. Without a session, nobody may send more. */
const FORM_BYTES = 16 * 1024;

const query = z.object({ token: z.string().optional(), next: z.string().optional() }).catch({});

/** GET /sign-in, also with the token of a sign-in URL, and POST /platform/sign-in with a key. */
export const signInRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  const { sessions, tokens } = context;
  const wrongKeys = new WrongKeys();

  app.get('/sign-in', async (request, reply) => {
    const { token, next } = query.parse(request.query);
    if (token !== undefined) return exchange(token, request, reply);
    const session = await sessions.find(readSession(request, context));
    if (session !== undefined) return reply.redirect(nextPath(next), 303);
    return showForm(request, reply, { next });
  });

  app.post('/platform/sign-in', { bodyLimit: FORM_BYTES }, async (request, reply) => {
    const token = readCookie('form', request, context);
    demand(tokenIn(request.body), token);
    const { key, next } = keyForm.parse(request.body);
    const { kind, wait, message } = await checkSignIn(key, request.ip, context.keys, wrongKeys);
    if (kind === 'refused') {
      if (wait !== undefined) reply.header('retry-after', String(wait));
      return showForm(request, reply.code(wait === undefined ? 401 : 429), { next, message });
    }
    if (!(await begin({ kind: 'key', hash: keyHash(key) }, request, reply)))
      return showForm(request, reply.code(401), { next, message: 'Unknown key.' });
    return reply.redirect(nextPath(next), 303);
  });

  /**
   * Never continues a session that the browser brought along, so that nobody can plant one (session fixation).
   *
   * @returns false if the key may not sign in
   */
  async function begin(holder: Holder, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const browser = newFormToken();
    const id = await sessions.open(holder, browser);
    if (id === undefined) return false;
    sessions.end(readSession(request, context));
    setCookie('session', id, request, reply, context);
    setCookie('form', browser, request, reply, context);
    return true;
  }

  async function exchange(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { method, headers } = request;
    // What only looks at the address, such as a preview, must not use up its token.
    if (method !== 'GET' || headers['sec-purpose'] !== undefined)
      return showForm(request, reply.code(503), {});
    if (!tokens.take(token))
      return showForm(request, reply.code(401), {
        message: 'This sign-in address was used before or has expired.',
      });
    if (!(await begin({ kind: 'owner' }, request, reply))) throw new Error('the owner may always sign in');
    // A browser that follows a link of another site or of a file does not send strict cookies after a redirect.
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'none' || site === 'same-origin') return reply.redirect('/', 303);
    return sendPage(request, reply, {
      title: 'Signed in',
      refreshTo: '/',
      content: html`<div class="message"><h1>Signed in</h1><p><a href="/">Go to the reports</a></p></div>`,
    });
  }

  function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { next, message }: { next?: string | undefined; message?: string | undefined },
  ): FastifyReply {
    const csrfToken = formToken(request, reply, context);
    return sendPage(request, reply, signInPage({ next: nextPath(next), message, csrfToken }));
  }
};
