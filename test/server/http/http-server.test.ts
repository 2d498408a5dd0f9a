import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';

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
  const line = await openConnection(url);
  assert.match(await line.ended, /^HTTP\/1\.1 408 /);
});

test('headers that are too large get 431, and what is not HTTP gets 400', async t => {
  const { url } = await serving(t);
  const large = await openConnection(url);
  large.socket.write(`GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(32_000)}\r\n\r\n`);
  assert.match(await large.ended, /^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/);
  for (const words of ['hello\r\n\r\n', 'BREW /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n']) {
    const line = await openConnection(url);
    line.socket.write(words);
    assert.match(await line.ended, /^HTTP\/1\.1 400 /);
  }
});

test('expectations other than 100-continue are ignored', async t => {
  const { url } = await serving(t);
  const line = await openConnection(url);
  line.socket.write(
    'GET /healthz HTTP/1.1\r\nhost: localhost\r\nexpect: the best\r\nconnection: close\r\n\r\n',
  );
  assert.match(await line.ended, /^HTTP\/1\.1 200 /);
});

test('a connection that stalls within a request is dropped', async t => {
  const { url, key } = await serving(t, { limits: { idleMs: 1000 } });
  const line = await openConnection(url);
  line.socket.write(
    `POST /user/persona HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey ${key}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`,
  );
  await line.ended;
  assert.equal((await get({ url, key }, '/user/report/two')).status, 200);
});
