import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { readFormJson } from '../../src/web/platform.ts';
import { newFolder } from '../support/folder.ts';
import { problemOf } from '../support/service/client.ts';
import { shared } from '../support/shared.ts';
import {
  ownedPlatform,
  platformWithReports,
  servingPlatform,
  signIn,
  signInWithKey,
  submitKey,
} from '../support/web/platform.ts';

test('a form in JSON has texts and numbers; lists and objects are left out, and names may be anything', () => {
  const controls = readFormJson(
    Buffer.from('{"c0": "1", "7": "seven", "__proto__": "x", "n": 1, "o": {"a": [1]}, "c0": "2"}'),
  );
  assert.deepEqual(Object.entries(controls), [
    ['7', 'seven'],
    ['c0', '2'],
    ['__proto__', 'x'],
    ['n', 1],
  ]);
  for (const [body, code] of [
    ['[]', 'malformed'],
    ['{"a":', 'malformed'],
    ['{"a":1} 2', 'malformed'],
    [`{"a":${'['.repeat(100)}`, 'malformed'],
    [`{${Array.from({ length: 2_001 }, (_, i) => `"${7 * i}":""`)}}`, 'too_many_members'],
  ] as const)
    assert.throws(() => readFormJson(Buffer.from(body)), { code });
});

test('a form with too many controls is refused, in any encoding, and one without a session must be small', async t => {
  const { url, browser } = await platformWithReports(t);
  const post = (path: string, type: string, body: string): Promise<Response> =>
    browser.fetch(path, {
      method: 'POST',
      headers: { 'content-type': type, accept: 'application/json' },
      body,
    });
  const names = Array.from({ length: 30_000 }, (_, i) => 7 * i);
  const path = '/platform/reports/two/persona';
  const json = await post(
    path,
    'application/json',
    JSON.stringify(Object.fromEntries(names.map(name => [name, '']))),
  );
  assert.equal(json.status, 413);
  const form = await post(path, 'application/x-www-form-urlencoded', names.map(name => `${name}=`).join('&'));
  assert.equal(form.status, 413);
  const signedOut = await fetch(`${url}/platform/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `key=${'x'.repeat(20_000)}`,
  });
  assert.equal(signedOut.status, 413);
});

const page = { accept: 'text/html' };

describe('every response of the platform', () => {
  const platform = shared(suite => ownedPlatform(suite));

  it('forbids everything that is not its own, and is not stored', async () => {
    const { browser } = platform();
    const paths = ['/', '/keys', '/sign-in', '/nothing', '/assets/nothing.js', '/platform/nothing'];
    for (const path of paths) {
      const { headers } = await browser.fetch(path, { headers: page });
      const policy = (headers.get('content-security-policy') ?? '').split('; ');
      assert.ok(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'"), path);
      assert.ok(!policy.join().includes('unsafe') && !policy.join().includes('*'), path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
      assert.equal(headers.get('cache-control'), 'no-store', path);
    }
  });

  it('has no inline script, style or handler', async () => {
    const { browser } = platform();
    for (const path of ['/', '/keys']) {
      const text = await browser.page(path);
      assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/);
      for (const [, url = ''] of text.matchAll(/\s(?:src|href|action)="([^"]*)"/g))
        assert.match(url, /^(\/|#)/);
    }
  });

  it('lets browsers keep assets, whose address changes with them', async () => {
    const { url } = platform();
    const form = await (await fetch(`${url}/sign-in`)).text();
    const [path = ''] = /\/assets\/[0-9a-f]{16}\/style\.css/.exec(form) ?? [];
    const response = await fetch(url + path);
    assert.equal(response.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const sheet = await response.text();
    // Its parts are joined in order: the tokens before the pages.
    assert.ok(sheet.indexOf('--accent:') > 0 && sheet.indexOf('--accent:') < sheet.indexOf('.sign-in {'));
    for (const other of [
      '/assets/style.css',
      path.replace('style.css', 'style/01-tokens.css'),
      `${path}/../../../package.json`,
      '/assets/..%2f..%2fpackage.json',
    ])
      assert.equal((await fetch(url + other)).status, 404);
  });
});

describe('what changes something', () => {
  const platform = shared(suite => ownedPlatform(suite));

  it('needs the token of the session: as a header, or as a field of a form', async () => {
    const target = platform();
    const [own, other] = [await signIn(target), await signIn(target)];
    const post = (headers: Record<string, string>, body?: URLSearchParams) =>
      fetch(`${target.url}/platform/keys/x/revoke`, {
        method: 'POST',
        headers: { cookie: own.cookie, ...headers },
        ...(body !== undefined && { body }),
      });
    const form = (_csrf: string) => new URLSearchParams({ _csrf });
    for (const token of ['', 'x', `${own.csrfToken}x`, other.csrfToken]) {
      assert.equal(await problemOf(await post({ 'x-csrf-token': token })), '403 stale_form');
      assert.equal(await problemOf(await post({}, form(token))), '403 stale_form');
    }
    assert.equal(await problemOf(await post({})), '403 stale_form');
    const twice = new URLSearchParams([
      ['_csrf', own.csrfToken],
      ['_csrf', own.csrfToken],
    ]);
    assert.equal(await problemOf(await post({}, twice)), '403 stale_form');
    assert.equal(await problemOf(await post({ 'x-csrf-token': own.csrfToken })), '404 no_such_key');
    assert.equal(await problemOf(await post({}, form(own.csrfToken))), '404 no_such_key');
  });

  it('needs it on every path, with any body, before that is read', async () => {
    const { browser } = platform();
    const paths = {
      POST: 'data data/x/delete trainings runs runs/x/evaluation reports/x/delete keys sign-out',
      PUT: 'runs/x/input',
      DELETE: 'runs/x',
    };
    for (const [method, all] of Object.entries(paths))
      for (const path of all.split(' '))
        for (const type of ['application/json', 'text/csv', 'application/octet-stream']) {
          const headers = { 'x-csrf-token': 'x', 'content-type': type };
          const response = await browser.fetch(`/platform/${path}`, { method, headers, body: '{}' });
          assert.equal(await problemOf(response), '403 stale_form', `${method} ${path}, ${type}`);
        }
  });

  it('is refused if a page of another site asks for it, even with the token', async () => {
    const target = platform();
    const { cookie, csrfToken } = await signIn(target);
    const origin = new URL(target.url);
    const ask = async (headers: Record<string, string>) =>
      problemOf(
        await fetch(`${target.url}/platform/keys/x/revoke`, {
          method: 'POST',
          headers: { cookie, 'x-csrf-token': csrfToken, ...headers },
        }),
      );
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: `http://127.0.0.1:${Number(origin.port) + 1}` },
      { origin: `http://${origin.host}.evil.example` },
    ])
      assert.equal(await ask(headers), '403 cross_origin', JSON.stringify(headers));
    assert.equal(await ask({ 'sec-fetch-site': 'same-origin' }), '404 no_such_key');
    assert.equal(await ask({ origin: origin.origin }), '404 no_such_key');
  });

  it('is not done by GET, whatever the path', async () => {
    const { browser } = platform();
    for (const path of ['/platform/sign-out', '/platform/keys', '/platform/keys/x/revoke'])
      assert.equal(await problemOf(await browser.fetch(path)), '405 method_not_allowed');
    await browser.page('/');
  });

  it('is refused in sizes and types that no form has', async () => {
    const { browser } = platform();
    const large = await browser.submit('/platform/keys', { name: 'x'.repeat(5 * 1024 * 1024) });
    assert.equal(large.status, 413);
    const xml = await browser.fetch('/platform/keys', {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: '<x/>',
    });
    assert.equal(await problemOf(xml), '415 unsupported_media_type');
    const polluted = await browser.fetch('/platform/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"__proto__": {"x": 1}}',
    });
    assert.equal(await problemOf(polluted), '422 bad_option'); // its only member is no control of the form
  });
});

describe('an error', () => {
  const platform = shared(suite => ownedPlatform(suite));

  it('is a page for a page, that says what to do, and a problem for programs', async () => {
    const { browser } = platform();
    const missing = await browser.fetch('/<script>alert(1)</script>', { headers: page });
    const text = await missing.text();
    assert.equal(missing.status, 404);
    assert.match(text, /<h1>Not found<\/h1>/);
    assert.match(text, /start from the list of reports/);
    assert.ok(!text.includes('<script>alert'));
    assert.equal(await problemOf(await browser.fetch('/nothing')), '404 no_such_endpoint');
    const refused = await browser.submit('/platform/keys/none/revoke', { _csrf: browser.csrfToken });
    assert.equal(refused.status, 404);
    assert.match(await refused.text(), /There is no key named &quot;none&quot;/);
  });

  it('leaves the API as it is', async () => {
    const { url } = platform();
    for (const [path, problem] of [
      ['/user/report/x', '401 unauthorized'],
      ['/user/nothing', '401 unauthorized'],
      ['/healthz/nothing', '404 no_such_endpoint'],
    ] as const)
      assert.equal(await problemOf(await fetch(url + path)), problem);
    assert.equal(
      (await fetch(`${url}/user/nothing`, { headers: page })).headers.get('content-type'),
      'application/problem+json',
    );
  });
});

describe('a data directory', () => {
  it('may take longer to look at than Fastify waits for plugins by default', async t => {
    let pluginTimeout: number | undefined;
    const routes = async ({ initialConfig }: FastifyInstance) => {
      ({ pluginTimeout } = initialConfig);
    };
    await servingPlatform(t, { extension: { routes, notFound: () => {} } });
    assert.equal(pluginTimeout, 0);
  });

  for (const folder of ['data', 'runs', 'trainings'])
    it(`whose ${folder} cannot be read is named in the error`, async t => {
      const home = await newFolder(t);
      await symlink(folder, join(home, folder));
      await assert.rejects(servingPlatform(t, { home }), {
        code: 'unreadable_home',
        message: new RegExp(`cannot read the ${folder} folder`),
        location: { file: join(home, folder) },
      });
    });
});

describe('without the platform', () => {
  it('there are no pages', async t => {
    const { url } = await servingPlatform(t, { extension: undefined });
    for (const path of ['/', '/sign-in', '/keys', '/platform/sign-in'])
      assert.equal(await problemOf(await fetch(url + path, { headers: page })), '404 no_such_endpoint');
  });
});

describe('the log', () => {
  it('names the key of a session, and contains no token, key or cookie', async t => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const target = await servingPlatform(t, { log });
    const owner = await signIn(target);
    const anna = await signInWithKey(target, 'anna');
    await anna.submit('/platform/keys', { name: 'new', scope: 'predict', bound: 'all', days: '30' });
    const shown = /rowcast_[\w-]{43}/.exec(await anna.page('/keys'))?.[0];
    await submitKey(target.url, 'a-wrong-key');
    await anna.submit('/platform/keys', { _csrf: 'wrong-token', name: 'new' });
    await owner.submit('/platform/sign-out');
    const token = /token=(.*)/.exec(target.platform.signInUrl(target.url))?.[1] ?? '';
    await fetch(`${target.url}/keys/${anna.key}?token=${token}`, { headers: page });
    await fetch(`${target.url}/sign-in?token=${token}x`, { headers: page });
    const text = lines.join('');
    assert.match(text, /POST \/platform\/keys 303 .*key anna/);
    assert.match(text, /POST \/platform\/sign-out 303 .*key \(owner\)/);
    const secrets = [anna.key, shown, 'a-wrong-key', token, owner.csrfToken, anna.csrfToken];
    for (const cookie of [owner.cookie, anna.cookie]) secrets.push(cookie.split('=')[1]);
    for (const secret of secrets)
      assert.ok(secret !== undefined && secret.length > 8 && !text.includes(secret));
  });
});
