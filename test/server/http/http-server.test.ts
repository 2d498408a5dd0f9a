import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { describe, it, test } from 'node:test';
import { startServer } from '../../../src/server/server.ts';
import type { RunningServiceOptions } from '../../../src/server/service.ts';
import { get } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { exchange, headOf, openConnection } from '../../support/service/socket.ts';
import { unreadResponses } from '../../support/service/unread-responses.ts';

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

const CLOSE = 'connection: close';
const many = (count: number): string[] => new Array(count).fill('a:');

describe('a request with many headers', () => {
  it('is rejected beyond 2,000, and cannot hide a second Host or Authorization behind them', async t => {
    const { url, key } = await serving(t);
    const responseTo = (line: string, own: { key?: string }, ...headers: string[]) =>
      exchange(url, headOf(line, own, ...headers, CLOSE));
    assert.match(await responseTo('GET /healthz', {}, ...many(1_998)), /^HTTP\/1\.1 200 /);
    const beyond = await responseTo('GET /healthz', {}, ...many(1_999));
    assert.match(beyond, /^HTTP\/1\.1 431 [\s\S]*"headers_too_large"/);
    for (const second of ['host: evil.example', 'authorization: ApiKey other']) {
      const response = await responseTo('GET /user/report/one', { key }, ...many(1_997), second);
      assert.match(response, /^HTTP\/1\.1 4(00|31) /, second);
    }
  });
});

describe('a transfer encoding other than chunked', () => {
  it('is rejected, because it would not be decoded', async t => {
    const { url, key } = await serving(t);
    const body = '{"id":"one","features":{"plan":"Basic"}}';
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const [coding, status] of [
      ['gzip, chunked', /^HTTP\/1\.1 501 [\s\S]*"unsupported_transfer_encoding"/],
      ['chunked', /^HTTP\/1\.1 200 /],
      ['Chunked', /^HTTP\/1\.1 200 /],
    ] as const) {
      const headers = ['content-type: application/json', CLOSE, `transfer-encoding: ${coding}`];
      const response = await exchange(url, headOf('POST /user/persona', { key }, ...headers) + chunks);
      assert.match(response, status, coding);
    }
  });
});

/** The status of a request for a target with these lines about its host. */
const statusFor = async (url: string, host: string, target = '/healthz'): Promise<string> =>
  (await exchange(url, `GET ${target} HTTP/1.1\r\n${host}${CLOSE}\r\n\r\n`)).slice(9, 12);

test('a service on loopback accepts only loopback host names', async t => {
  const { url } = await serving(t);
  for (const name of ['localhost', 'LOCALHOST:1', '127.0.0.1:99', '[::1]', '[::1]:8080', 'localhost:'])
    assert.equal(await statusFor(url, `host: ${name}\r\n`), '200', name);
  const others = ['example.com', 'localhost.example.com:80', '127.0.0.1.example.com', '[::2]', '10.0.0.1'];
  for (const name of [...others, 'x@localhost', '0.0.0.0', ''])
    assert.equal(await statusFor(url, `host: ${name}\r\n`), '403', name);
});

test('another host name is rejected on every path, with a hint', async t => {
  const { url, key } = await serving(t);
  for (const path of ['/user/report/two', '/metrics', '/nowhere']) {
    const request = headOf(`GET ${path}`, { key }, CLOSE).replace('localhost', 'evil.example');
    assert.match(
      await exchange(url, request),
      /^HTTP\/1\.1 403 [\s\S]*localhost, 127\.0\.0\.1, \[::1\] only[\s\S]*"wrong_host"/,
    );
  }
});

test('a service on all addresses says so, and accepts every host name', async t => {
  const { url } = await serving(t, { host: '0.0.0.0' });
  assert.match(url, /^http:\/\/0\.0\.0\.0:\d+$/);
  assert.equal(await statusFor(url, 'host: predictions.example.com\r\n'), '200');
});

test('a service on another loopback address accepts that address', async t => {
  const { url } = await serving(t, { host: '127.0.0.2' });
  assert.equal(await statusFor(url, 'host: 127.0.0.2:80\r\n'), '200');
  assert.equal(await statusFor(url, 'host: example.com\r\n'), '403');
});

test('a request without Host is rejected with a problem body; HTTP/1.0 needs no Host', async t => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const { url } = await serving(t, { host });
    const without = await exchange(url, `GET /healthz HTTP/1.1\r\n${CLOSE}\r\n\r\n`);
    assert.match(without, /^HTTP\/1\.1 400 [\s\S]*x-request-id[\s\S]*"malformed"/);
    assert.match(await exchange(url, 'GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  }
});

test('a URL with a host is accepted only if it is the one of the Host header', async t => {
  const { url } = await serving(t);
  const anywhere = await serving(t, { host: '0.0.0.0' });
  for (const [service, target, host, status] of [
    [url, 'http://localhost:99', 'localhost:99', '200'],
    [url, 'http://LOCALHOST:80', 'localhost', '200'],
    [url, 'http://evil.example', 'localhost', '403'],
    [url, 'http://evil.example', 'evil.example', '403'],
    [anywhere.url, 'http://evil.example', 'good.example', '403'],
    [anywhere.url, 'http://good.example', 'good.example', '200'],
  ] as const)
    assert.equal(await statusFor(service, `host: ${host}\r\n`, `${target}/healthz`), status, target);
});

const start = async (options: Partial<RunningServiceOptions> = {}) =>
  startServer({ home: await trainedHome(), host: '127.0.0.1', port: 0, key: 'k', ...options });

test('responses finished before a shutdown reach a slow client', async () => {
  const { log, lines } = recorded();
  const service = await start({ log });
  const served = (): number => lines().filter(({ event }) => event === 'request').length;
  const { line, requests } = await unreadResponses(service.url, served);
  const closed = service.close();
  line.socket.resume();
  const text = await line.ended;
  assert.equal(text.split('HTTP/1.1 200 OK').length - 1, requests);
  assert.equal(await closed, 0);
});

test('a request before the response to the last one closes the connection after it, and nothing more is parsed', async t => {
  const { log, lines } = recorded();
  const target = await serving(t, { log, metrics: true });
  const line = await openConnection(target.url);
  const parsed: (string | undefined)[] = [];
  const onRequest = (message: unknown): void => {
    parsed.push((message as { request: IncomingMessage }).request.url); // as Node documents this channel
  };
  subscribe('http.server.request.start', onRequest);
  t.after(() => unsubscribe('http.server.request.start', onRequest));
  line.socket.write(headOf('GET /healthz').repeat(1_000));
  assert.match(await line.ended, /^HTTP\/1\.1 200 OK(?![\s\S]*HTTP)[\s\S]*connection: close[\s\S]*alive/i);
  assert.deepEqual(parsed, ['/healthz']);
  assert.equal(lines().filter(({ event }) => event === 'request').length, 1);
  const metrics = await (await get(target, '/metrics')).text();
  assert.match(metrics, /^rowcast_connections_closed_total\{reason="pipelined"\} 1$/m);
});

test('idle connections are closed immediately', async () => {
  const service = await start();
  const [used, fresh] = await Promise.all([openConnection(service.url), openConnection(service.url)]);
  used.socket.write(headOf('GET /healthz'));
  await used.receives(/alive/);
  const cut = await service.close();
  await Promise.all([used.ended, fresh.ended]);
  assert.equal(cut, 0);
});
