import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFormJson } from '../../src/web/platform.ts';
import { platformWithReports } from '../support/web/platform.ts';

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
