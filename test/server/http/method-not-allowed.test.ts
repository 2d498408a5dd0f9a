import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchChecked, get, problemOf } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';

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
