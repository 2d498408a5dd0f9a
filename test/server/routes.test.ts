import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchChecked, get, post, problemOf } from '../support/service/client.ts';
import { persona, serving } from '../support/service/serving.ts';
import { exchange, headOf } from '../support/service/socket.ts';

test('a wrong method gets 405 with the allowed methods', async t => {
  const { url, key } = await serving(t, { metrics: true });
  const authorization = `ApiKey ${key}`;
  for (const [path, allow] of [
    ['/user/persona', 'POST'],
    ['/user/batch-persona', 'POST'],
    ['/user/batch-predict', 'POST'],
    ['/user/report/two', 'GET, HEAD'],
    ['/user/testing-results/two', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      if (allow.split(', ').includes(method)) continue;
      const response = await fetchChecked(url + path, { method, headers: { authorization } });
      assert.equal(response.headers.get('allow'), allow);
      assert.equal(await problemOf(response), '405 method_not_allowed', `${method} ${path}`);
    }
  }
  const typed = await fetchChecked(`${url}/user/report/two`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'text/plain' },
    body: 'x',
  });
  assert.equal(await problemOf(typed), '405 method_not_allowed');
});

test('a wrong method does not bypass the key check', async t => {
  const { url } = await serving(t);
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
    assert.equal((await fetchChecked(`${url}/user/persona`, { method })).status, 401, method);
});

test('HEAD gets the response of GET without a body', async t => {
  const { url, key } = await serving(t, { metrics: true });
  for (const path of [
    '/user/report/two',
    '/user/testing-results/two',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
  ]) {
    const { headers } = await get({ url, key }, path);
    const head = await fetchChecked(url + path, {
      method: 'HEAD',
      headers: { authorization: `ApiKey ${key}` },
    });
    assert.equal(head.status, 200, path);
    assert.equal(await head.text(), '');
    assert.equal(head.headers.get('content-type'), headers.get('content-type'));
  }
});

const ids = [
  ...['../two', '../reports/two', 'two/../one', '..', '.', '/etc/passwd', 'C:\\two', '..\\two', 'two\0'],
  ...['two.json', '%2e%2e%2ftwo', ' two', 'two\n', 'twö', '~root', '.two', 'x'.repeat(65)],
];

test('an id that could be a path does not lead to a file', async t => {
  const target = await serving(t);
  for (const id of ids) {
    for (const path of ['report', 'testing-results']) {
      const encoded = `/user/${path}/${encodeURIComponent(id).replaceAll('.', '%2e')}`;
      // fetch resolves dot segments as a browser does, encoded ones too: two of them leave the folder before anything
      // is sent.
      const expected = id === '..' ? '404 no_such_endpoint' : '400 bad_report_id';
      assert.equal(await problemOf(await get(target, encoded)), expected, id);
    }
    for (const [path, body] of [
      ['/user/persona', { id, ...persona }],
      ['/user/batch-persona', { id, personas: [persona] }],
    ] as const)
      assert.equal(await problemOf(await post(target, path, body)), '400 malformed', id);
  }
});

test('unresolved dot segments do not lead to a file either', async t => {
  const target = await serving(t);
  for (const path of [
    '/user/report/../../../etc/passwd',
    '/user/report/..',
    '/user/report/%2e%2e',
    '/user/report//etc/passwd',
    '/user/report/%00',
    '/user/report/two%00',
    '/user/report/%2e%2e%2ftwo',
    '/user/testing-results/..%5c..%5ctwo',
    `/user/report/${'../'.repeat(1000)}`,
    '/../user/report/two',
    'user/report/two',
  ])
    assert.match(
      await exchange(target.url, headOf(`GET ${path}`, target, 'connection: close')),
      /^HTTP\/1\.1 40[04] [\s\S]*"code":"(no_such_endpoint|bad_report_id|malformed)"/,
      path,
    );
});
