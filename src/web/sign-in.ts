import { randomBytes } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { KeyRing } from '../server/auth/key-ring.ts';
import { keyHash } from '../server/auth/key-store.ts';
import { WrongKeys } from '../server/auth/require-key.ts';
import type { Shared } from '../server/service.ts';
import type { PlatformContext } from './context.ts';
import { html } from './html.ts';
import { noticeBox } from './notice.ts';
import { type Page, sendPage } from './page.ts';
import { readCookie, readSession, setCookie } from './session/cookies.ts';
import { csrfField, demand, tokenIn } from './session/csrf.ts';
import type { Holder } from './session/sessions.ts';

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
    const { message, wait = 0 } = await signInProblem(key, request.ip, context.keys, wrongKeys);
    if (wait > 0) reply.header('retry-after', String(wait));
    if (message !== undefined)
      return showForm(request, reply.code(wait === 0 ? 401 : 429), { next, message });
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
    return sendPage(request, reply, signInPage(nextPath(next), message, csrfToken));
  }
};

/**
 * @param next where to go then
 * @param message why the last attempt failed
 */
const signInPage = (next: string, message: string | undefined, csrfToken: string): Page => ({
  title: 'Sign in',
  content: html`
    <div class="sign-in">
      <h1>Sign in to rowcast</h1>
      ${message !== undefined && noticeBox({ kind: 'bad', text: message })}
      <form class="card stack" method="post" action="/platform/sign-in">
        ${csrfField({ csrfToken })}
        <input type="hidden" name="next" value="${next}">
        <input type="text" name="user" value="rowcast" autocomplete="username" hidden>
        <div class="field">
          <label for="key">API key</label>
          <input id="key" name="key" type="password" autocomplete="current-password" required autofocus
            spellcheck="false" maxlength="1000" aria-describedby="key-hint">
          <p class="hint" id="key-hint">A key with the scope <code>platform</code>.</p>
        </div>
        <button class="button primary" type="submit">Sign in</button>
      </form>
      <details>
        <summary>No key?</summary>
        <p>Started <code>rowcast serve</code> yourself? Open the sign-in address that it printed on the terminal.
          It works once, for 15 minutes.</p>
        <p>Otherwise create a key on that machine:</p>
        <pre class="code">rowcast keys add NAME --scope predict,report,platform</pre>
      </details>
    </div>`,
});

/** Longer than any key; what is longer is not hashed. */
const MAX_KEY_LENGTH = 1_000;

const keyForm = z.object({
  key: z.string().max(MAX_KEY_LENGTH).trim().catch(''),
  next: z.string().optional().catch(undefined),
});

/**
 * Why a key may not sign in, if so. Attempts with wrong keys are limited by address; a key that matches is never
 * throttled.
 *
 * @returns no message if it may; `wait` is in seconds, if there were too many attempts
 */
async function signInProblem(
  key: string,
  address: string,
  keys: KeyRing,
  wrongKeys: WrongKeys,
): Promise<{ message?: string; wait?: number }> {
  if (key === '') return { message: 'Enter a key.' };
  const found = await keys.findHash(keyHash(key));
  if (found.kind === 'expired') return { message: 'This key has expired.' };
  if (found.kind !== 'principal') {
    const wait = wrongKeys.failed(address);
    if (wait > 0) return { wait, message: `Too many wrong keys. Try again in ${wait} s.` };
    return { message: 'There is no such key.' };
  }
  if (found.principal.hasScope('platform')) return {};
  return { message: 'This key is for the API only: it does not have the scope “platform”.' };
}

/**
 * The CSRF token of the sign-in form, which has no session yet: it must equal that of a cookie. Otherwise another site
 * could sign a user in with a key of its own, and the user would upload data for its owner.
 */
function formToken(request: FastifyRequest, reply: FastifyReply, context: Shared): string {
  const known = readCookie('form', request, context);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  const token = newFormToken();
  setCookie('form', token, request, reply, context);
  return token;
}

const newFormToken = (): string => randomBytes(32).toString('base64url');

/** Where to go after signing in: a path of the platform, never another host. */
export const nextPath = (given: string | undefined): string =>
  given !== undefined && /^(?:\/[\w-]{1,64}){1,4}$/.test(given) && !given.startsWith('/platform')
    ? given
    : '/';

/** POST /platform/sign-out: ends the session, also for copies of its cookie. */
export const signOutRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  app.post('/platform/sign-out', async (request, reply) => {
    context.sessions.end(readSession(request, context));
    setCookie('session', undefined, request, reply, context);
    return reply.redirect('/sign-in', 303);
  });
};
