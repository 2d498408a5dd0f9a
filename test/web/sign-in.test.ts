import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addKey, revokeKey } from '../../src/server/auth/key-store.ts';
import { nextPath } from '../../src/web/sign-in.ts';
import { character } from '../support/random-tests.ts';
import { shared } from '../support/shared.ts';

import {
  cookiesOf,
  fieldIn,
  ownedPlatform,
  type PlatformTarget,
  servingPlatform,
  signIn,
  signInWithKey,
  submitKey,
} from '../support/web/platform.ts';

const page = { accept: 'text/html' };

/** The attributes of the cookie that a response sets for the session. */
function sessionCookie(response: Response): string[] {
  const cookies = response.headers.getSetCookie().filter(cookie => cookie.includes('-session'));
  assert.equal(cookies.length, 1);
  return (cookies[0] ?? '').split('; ');
}

const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers: { ...page, ...headers } });

describe('signing in with the URL from the terminal', () => {
  const served = shared(suite => servingPlatform(suite));

  it('works once, and takes the token out of the address', async () => {
    const { url, platform } = served();
    const signInUrl = platform.signInUrl(url);
    const first = await get(signInUrl);
    assert.equal(first.status, 303);
    assert.equal(first.headers.get('location'), '/');
    assert.equal((await get(`${url}/`, { cookie: cookiesOf(first) })).status, 200);
    const second = await get(signInUrl);
    assert.equal(second.status, 401);
    assert.deepEqual(
      second.headers.getSetCookie().filter(cookie => cookie.includes('-session')),
      [],
    );
    assert.match(await second.text(), /was used before or has expired/);
  });

  it('is not used up by what only looks at the address', async () => {
    const { url, platform } = served();
    const signInUrl = platform.signInUrl(url);
    assert.equal((await fetch(signInUrl, { method: 'HEAD', redirect: 'manual' })).status, 503);
    assert.equal((await get(signInUrl, { 'sec-purpose': 'prefetch' })).status, 503);
    assert.equal((await get(signInUrl)).status, 303);
  });

  it('works from a link of another site or of a file, to which browsers send no strict cookies', async () => {
    const { url, platform } = served();
    const response = await get(platform.signInUrl(url), { 'sec-fetch-site': 'cross-site' });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<meta http-equiv="refresh" content="0; url=\/">/);
    assert.equal((await get(`${url}/`, { cookie: cookiesOf(response) })).status, 200);
  });
});

describe('signing in with a key', () => {
  const served = shared(suite => servingPlatform(suite));

  it('needs the scope platform, and leads to the page that was asked for', async () => {
    const target = served();
    const { url, home } = target;
    const asked = await get(`${url}/keys`);
    assert.equal(asked.headers.get('location'), '/sign-in?next=%2Fkeys');
    const key = await addKey(home, 'anna', { reports: 'all', scopes: ['platform'] });
    const response = await submitKey(url, ` ${key}\n`, '/keys');
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/keys']);
    const api = await addKey(home, 'api', { reports: 'all' });
    const refused = await submitKey(url, api);
    assert.equal(refused.status, 401);
    assert.match(await refused.text(), /does not have the scope/);
  });

  it('accepts the key of the service itself', async t => {
    const { url } = await servingPlatform(t, { key: 'key-of-the-service' });
    assert.equal((await submitKey(url, 'key-of-the-service')).status, 303);
  });

  it('refuses wrong, revoked, expired and oversized keys, and repeats none of them', async () => {
    const { url, home } = served();
    const expires = new Date(Date.now() - 1);
    const expired = await addKey(home, 'old', { reports: 'all', scopes: ['platform'], expires });
    const revoked = await addKey(home, 'gone', { reports: 'all', scopes: ['platform'] });
    await revokeKey(home, 'gone');
    const others = ['wrong-key', '', 'k'.repeat(100_000), '"><script>alert(1)</script>'];
    for (const key of [expired, revoked, ...others]) {
      const response = await submitKey(url, key);
      const text = await response.text();
      assert.equal(response.status, key.length > 16_384 ? 413 : 401, text);
      assert.ok(key === '' || !text.includes(key));
    }
  });

  it('limits attempts: after twenty wrong keys, an address has to wait', async t => {
    const target = await servingPlatform(t);
    for (let i = 0; i < 20; i++) assert.equal((await submitKey(target.url, `wrong-${i}`)).status, 401);
    const response = await submitKey(target.url, 'wrong-again');
    assert.equal(response.status, 429);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    // A valid key is never throttled: others at the same address could lock out its holder.
    const key = await addKey(target.home, 'new', { reports: 'all', scopes: ['platform'] });
    assert.equal((await submitKey(target.url, key)).status, 303);
  });

  it('needs the token of its form', async () => {
    const { url, home } = served();
    const key = await addKey(home, 'berta', { reports: 'all', scopes: ['platform'] });
    const form = await fetch(`${url}/sign-in`);
    const token = fieldIn(await form.text(), '_csrf');
    const cases: [cookie: string, token: string, extra: Record<string, string>][] = [
      ['', token, {}],
      [cookiesOf(form), '', {}],
      [cookiesOf(form), `${token}x`, {}],
      [cookiesOf(form), token, { 'sec-fetch-site': 'cross-site' }],
      [cookiesOf(form), token, { 'sec-fetch-site': 'same-site' }],
      [cookiesOf(form), token, { origin: 'http://evil.example' }],
      [cookiesOf(form), token, { origin: 'null' }],
    ];
    for (const [cookie, _csrf, extra] of cases) {
      const response = await fetch(`${url}/platform/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, ...extra },
        body: new URLSearchParams({ key, _csrf }),
      });
      assert.equal(response.status, 403, JSON.stringify(extra));
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
  });
});

describe('the cookie of a session', () => {
  const served = shared(suite => servingPlatform(suite));

  it('is out of reach of scripts and other sites, and has the port in its name on loopback', async () => {
    const { url, platform } = served();
    const [value = '', ...attributes] = sessionCookie(await get(platform.signInUrl(url)));
    assert.match(value, new RegExp(`^rowcast-session-${new URL(url).port}=[\\w-]{43}$`));
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Path=/', 'SameSite=Strict']);
  });

  it('is secure beyond loopback, and behind a proxy that terminates TLS', async t => {
    const beyond = await servingPlatform(t, { host: '0.0.0.0' });
    const [value = '', ...attributes] = sessionCookie(await get(beyond.platform.signInUrl(beyond.url)));
    assert.match(value, /^__Host-rowcast-session=/);
    assert.deepEqual(attributes.sort(), ['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    const { url, platform } = served();
    const behind = sessionCookie(await get(platform.signInUrl(url), { 'x-forwarded-proto': 'https' }));
    assert.ok(behind.includes('Secure'));
    assert.match(behind[0] ?? '', /^__Host-rowcast-session=/);
  });

  it('is of no use in another browser, where another server of this host may have set it', async () => {
    const { url, platform } = served();
    const own = cookiesOf(await get(platform.signInUrl(url)));
    const planted = cookiesOf(await get(platform.signInUrl(url)));
    const status = async (cookie: string) => (await get(`${url}/`, { cookie })).status;
    const one = (cookies: string, kind: string): string =>
      cookies.split('; ').find(cookie => cookie.includes(kind)) ?? '';
    assert.equal(await status(own), 200);
    assert.equal(await status(`${one(planted, '-session')}; ${one(own, '-form')}`), 303);
    assert.equal(await status(one(planted, '-session')), 303);
  });

  it('is new with each sign-in: one that the browser brought along is not continued', async () => {
    const { url, platform } = served();
    const name = `rowcast-session-${new URL(url).port}`;
    const planted = `${name}=${'a'.repeat(43)}`;
    const response = await get(platform.signInUrl(url), { cookie: planted });
    assert.ok(!cookiesOf(response).includes(planted));
    assert.equal((await get(`${url}/`, { cookie: planted })).status, 303);
    // A former session of the same browser ends.
    const before = cookiesOf(response);
    await get(platform.signInUrl(url), { cookie: before });
    assert.equal((await get(`${url}/`, { cookie: before })).status, 303);
  });
});

describe('a session', () => {
  const served = shared(suite => ownedPlatform(suite));

  it('ends with signing out, also for a copy of its cookie', async () => {
    const { browser, ...target } = served();
    const response = await browser.submit('/platform/sign-out');
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-in']);
    assert.equal((await get(`${target.url}/`, { cookie: browser.cookie })).status, 303);
  });

  it('does not open the API, nor does a key without a session open the pages', async () => {
    const target = served();
    const { cookie } = await signIn(target);
    assert.equal((await get(`${target.url}/user/report/x`, { cookie })).status, 401);
    const { key } = await signInWithKey(target, 'anna');
    assert.equal((await get(`${target.url}/keys`, { authorization: `ApiKey ${key}` })).status, 303);
  });
});

describe('a request with a wrong host', () => {
  it('is refused on loopback, with a page that says what to do', async t => {
    const { url, platform } = await servingPlatform(t);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      const { status, body, headers } = await rawGet(platform.signInUrl(url), host);
      assert.equal(status, 403);
      assert.match(body, /Use the address that/);
      assert.equal(headers['set-cookie'], undefined);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    }
  });

  it('beyond loopback never gets into a redirect or a page', async t => {
    const target: PlatformTarget = await servingPlatform(t, { host: '0.0.0.0' });
    const paths = ['/', '/keys', '/sign-in', '/nothing', '//evil.example/x', '/sign-in?next=//evil.example'];
    for (const path of paths) {
      const { headers, body } = await rawGet(`${target.url}${path}`, 'evil.example');
      assert.match(headers.location ?? '/', /^\/(?!\/)/);
      assert.ok(!body.replaceAll('There is no page //evil.example/x', '').includes('evil.example'), path);
    }
  });
});

/** A GET with any Host header, which `fetch` does not allow. */
async function rawGet(url: string, host: string) {
  const asked = request(url, { headers: { host, accept: 'text/html' } }).end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(response !== undefined);
  const body = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode, headers: response.headers, body };
}

const encoded = fc.string({ unit: character }).map(encodeURIComponent);

/** Any URL. The one of fast-check first makes a map of all characters. */
const url = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), encoded, encoded)
  .map(([scheme, authority, path, query]) => `${scheme}://${authority}/${path}?${query}`);

describe('where a sign-in leads', () => {
  it('is a page of the platform', () => {
    for (const path of ['/', '/runs', '/data/a-1/predict', '/predictions/churn_2'])
      assert.equal(nextPath(path), path);
  });

  it('is never another host, nor a route that changes something', () => {
    const others = [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%2f/evil.example',
      '/a//b',
    ];
    for (const path of [...others, '/\tevil', '/platform/sign-out', 'javascript:alert(1)', '', undefined])
      assert.equal(nextPath(path), '/', path);
    fc.assert(
      fc.property(url, fc.string(), (url, text) => {
        for (const given of [url, `/${url}`, `//${text}`, `/${text}`])
          assert.equal(new URL(nextPath(given), 'http://own.example').host, 'own.example');
      }),
    );
  });
});
