import assert from 'node:assert/strict';
import { addKey, type NewKey } from '../../../src/server/auth/key-store.ts';
import { startServer } from '../../../src/server/server.ts';
import type { RunningServiceOptions } from '../../../src/server/service.ts';
import { openPlatform, type Platform } from '../../../src/web/platform.ts';
import { newFolder } from '../folder.ts';
import { ownTrainedHome } from '../service/serving.ts';
import type { Scope } from '../shared.ts';

export interface PlatformTarget {
  url: string;
  home: string;
  platform: Platform;
}

/** A service with the web platform over a data directory, by default a new one; closed when the test ends. */
export async function servingPlatform(
  t: Scope,
  { dataBytes = 2 ** 30, ...options }: Partial<RunningServiceOptions> & { dataBytes?: number } = {},
): Promise<PlatformTarget> {
  const home = options.home ?? (await newFolder(t));
  const platform = openPlatform({ dataBytes });
  const service = await startServer({
    home,
    host: '127.0.0.1',
    port: 0,
    storedKeys: true,
    extension: platform,
    ...options,
  });
  t.after(() => service.close(1_000));
  return { url: service.url, home, platform };
}

export interface OwnedPlatform extends PlatformTarget {
  browser: SignedIn;
}

type PlatformOptions = Parameters<typeof servingPlatform>[1];

/** The same, its owner signed in. */
export async function ownedPlatform(t: Scope, options?: PlatformOptions): Promise<OwnedPlatform> {
  const target = await servingPlatform(t, options);
  return { ...target, browser: await signIn(target) };
}

/** The same over a data directory with the reports "one" and "two". */
export const platformWithReports = async (t: Scope, options?: PlatformOptions): Promise<OwnedPlatform> =>
  ownedPlatform(t, { home: await ownTrainedHome(t), ...options });

/** A browser that has signed in: it sends its cookie, and the token that changes need. */
export interface SignedIn {
  cookie: string;
  csrfToken: string;
  /** A request with the cookie, and the token unless it is a GET; redirects are not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A GET as for a page. @returns its text; fails unless the status is 200 */
  page(path: string): Promise<string>;
  /** Submits a form; a field may have several values. */
  submit(path: string, fields?: Record<string, string | readonly string[]>): Promise<Response>;
}

/** Signs in as the owner of the service. */
export async function signIn({ url, platform }: PlatformTarget): Promise<SignedIn> {
  const response = await fetch(platform.signInUrl(url), { redirect: 'manual' });
  assert.equal(response.status, 303);
  return browserAt(url, cookiesOf(response));
}

/** Adds a key with the scope `platform`, or the given ones, and signs in with it. */
export async function signInWithKey(
  { url, home }: PlatformTarget,
  name: string,
  grants: Partial<NewKey> = {},
): Promise<SignedIn & { key: string }> {
  const key = await addKey(home, name, {
    reports: 'all' as const,
    scopes: ['predict', 'report', 'platform'] as const,
    ...grants,
  });
  const response = await submitKey(url, key);
  assert.equal(response.status, 303, await response.text());
  return { ...(await browserAt(url, cookiesOf(response))), key };
}

/** Submits the sign-in form. */
export async function submitKey(url: string, key: string, next = '/'): Promise<Response> {
  const form = await fetch(`${url}/sign-in`);
  const token = fieldIn(await form.text(), '_csrf');
  return fetch(`${url}/platform/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookiesOf(form), accept: 'text/html' },
    body: new URLSearchParams({ _csrf: token, key, next }),
  });
}

/** The cookies that a response sets, as a browser sends them back. */
export const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map(cookie => cookie.split(';', 1)[0])
    .join('; ');

/** The value of a form's hidden field. */
export function fieldIn(page: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
  assert.ok(value !== undefined, `the page has no field ${name}: ${page}`);
  return value;
}

export async function browserAt(url: string, cookie: string): Promise<SignedIn> {
  const first = await fetch(`${url}/`, { headers: { cookie, accept: 'text/html' } });
  const csrfToken = /name="csrf-token" content="([^"]*)"/.exec(await first.text())?.[1];
  assert.ok(csrfToken !== undefined, 'the page has no token');
  const send = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> => {
    const own = new Headers(headers);
    own.set('cookie', cookie);
    if ((init.method ?? 'GET') !== 'GET' && !own.has('x-csrf-token')) own.set('x-csrf-token', csrfToken);
    return fetch(url + path, { redirect: 'manual', ...init, headers: own });
  };
  return {
    cookie,
    csrfToken,
    fetch: send,
    async page(path) {
      const response = await send(path, { headers: { accept: 'text/html' } });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text;
    },
    submit(path, fields = {}) {
      const body = new URLSearchParams();
      for (const [name, value] of Object.entries(fields))
        for (const one of [value].flat()) body.append(name, one);
      return send(path, { method: 'POST', headers: { accept: 'text/html' }, body });
    },
  };
}
