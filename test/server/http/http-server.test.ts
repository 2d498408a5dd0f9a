import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';
import { exchange, headOf, openConnection } from '../../support/service/socket.ts';

test('headers that arrive byte by byte end in 408', async t => {
  const { url } = await serving(t, { limits: { headersMs: 300 } });
  const line = await openConnection(url);
  line.socket.write('GET /healthz HTTP/1.1\r\nx: ');
  const drip = setInterval(() => line.socket.write('y'), 20);
  const text = await line.ended;
  clearInterval(drip);
  assert.match(
    text,
    /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*application\/problem\+json[\s\S]*"request_timeout"/,
  );
});

test('a connection without a request is closed', async t => {
  const { url } = await serving(t, { limits: { headersMs: 300 } });
  assert.match(await exchange(url, ''), /^HTTP\/1\.1 408 /);
});

test('headers that are too large get 431, what is not HTTP gets 400, and expectations are ignored', async t => {
  const { url } = await serving(t);
  const large = await exchange(url, headOf('GET /healthz', {}, `x: ${'y'.repeat(32_000)}`));
  assert.match(large, /^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/);
  for (const words of ['hello\r\n\r\n', headOf('BREW /healthz')])
    assert.match(await exchange(url, words), /^HTTP\/1\.1 400 /);
  const expecting = headOf('GET /healthz', {}, 'expect: the best', 'connection: close');
  assert.match(await exchange(url, expecting), /^HTTP\/1\.1 200 /);
});

test('a connection that stalls within a request is dropped', async t => {
  const target = await serving(t, { limits: { idleMs: 1000 } });
  const headers = ['content-type: application/json', 'content-length: 99'];
  await exchange(target.url, `${headOf('POST /user/persona', target, ...headers)}{`);
  assert.equal((await get(target, '/user/report/two')).status, 200);
});
