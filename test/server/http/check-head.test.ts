import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { serving } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';

/** The response to a head without a body. */
async function responseTo(url: string, head: string): Promise<string> {
  const line = await openConnection(url);
  line.socket.write(`${head}connection: close\r\n\r\n`);
  return line.ended;
}

const GET = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n';
const many = (count: number): string => 'a:\r\n'.repeat(count);

describe('a request with many headers', () => {
  it('is rejected beyond 2,000', async t => {
    const { url } = await serving(t);
    assert.match(await responseTo(url, GET + many(1_998)), /^HTTP\/1\.1 200 /);
    assert.match(await responseTo(url, GET + many(1_999)), /^HTTP\/1\.1 431 [\s\S]*"headers_too_large"/);
  });

  it('cannot hide a second Host or Authorization behind them', async t => {
    const { url, key } = await serving(t);
    const head = `GET /user/report/one HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey ${key}\r\n`;
    for (const second of ['host: evil.example', 'authorization: ApiKey other'])
      assert.match(
        await responseTo(url, `${head}${many(1_997)}${second}\r\n`),
        /^HTTP\/1\.1 4(00|31) /,
        second,
      );
  });
});

describe('a transfer encoding other than chunked', () => {
  it('is rejected, because it would not be decoded', async t => {
    const { url, key } = await serving(t);
    const head = `POST /user/persona HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey ${key}\r\ncontent-type: application/json\r\n`;
    const body = '{"id":"one","features":{"plan":"Basic"}}';
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const [coding, status] of [
      ['gzip, chunked', /^HTTP\/1\.1 501 [\s\S]*"unsupported_transfer_encoding"/],
      ['chunked', /^HTTP\/1\.1 200 /],
      ['Chunked', /^HTTP\/1\.1 200 /],
    ] as const) {
      const line = await openConnection(url);
      line.socket.write(`${head}connection: close\r\ntransfer-encoding: ${coding}\r\n\r\n${chunks}`);
      assert.match(await line.ended, status, coding);
    }
  });
});

async function statusFor(url: string, host: string): Promise<string> {
  const line = await openConnection(url);
  line.socket.write(`GET /healthz HTTP/1.1\r\n${host}connection: close\r\n\r\n`);
  return (await line.ended).slice(9, 12);
}

test('a service on loopback accepts only loopback host names', async t => {
  const { url } = await serving(t);
  for (const name of ['localhost', 'LOCALHOST:1', '127.0.0.1:99', '[::1]', '[::1]:8080', 'localhost:'])
    assert.equal(await statusFor(url, `host: ${name}\r\n`), '200', name);
  for (const name of [
    'example.com',
    'localhost.example.com:80',
    '127.0.0.1.example.com',
    '[::2]',
    '10.0.0.1',
    'x@localhost',
    '0.0.0.0',
    '',
  ])
    assert.equal(await statusFor(url, `host: ${name}\r\n`), '403', name);
});

test('another host name is rejected on every path, with a hint', async t => {
  const { url, key } = await serving(t);
  for (const path of ['/user/report/two', '/metrics', '/nowhere']) {
    const line = await openConnection(url);
    line.socket.write(
      `GET ${path} HTTP/1.1\r\nhost: evil.example\r\nauthorization: ApiKey ${key}\r\nconnection: close\r\n\r\n`,
    );
    assert.match(
      await line.ended,
      /^HTTP\/1\.1 403 [\s\S]*localhost, 127\.0\.0\.1, \[::1\] only[\s\S]*"wrong_host"/,
    );
  }
});

test('a service that is not on loopback accepts every host name', async t => {
  const { url } = await serving(t, { host: '0.0.0.0' });
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
    const without = await openConnection(url);
    without.socket.write('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n');
    assert.match(await without.ended, /^HTTP\/1\.1 400 [\s\S]*x-request-id[\s\S]*"malformed"/);
    const old = await openConnection(url);
    old.socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    assert.match(await old.ended, /^HTTP\/1\.1 200 /);
  }
});

test('a URL with a host is accepted only if it is the one of the Host header', async t => {
  const { url } = await serving(t);
  const anywhere = await serving(t, { host: '0.0.0.0' });
  const status = async (service: string, target: string, host: string) => {
    const line = await openConnection(service);
    line.socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    return (await line.ended).slice(9, 12);
  };
  assert.equal(await status(url, 'http://localhost:99/healthz', 'localhost:99'), '200');
  assert.equal(await status(url, 'http://LOCALHOST:80/healthz', 'localhost'), '200');
  assert.equal(await status(url, 'http://evil.example/healthz', 'localhost'), '403');
  assert.equal(await status(url, 'http://evil.example/healthz', 'evil.example'), '403');
  assert.equal(await status(anywhere.url, 'http://evil.example/healthz', 'good.example'), '403');
  assert.equal(await status(anywhere.url, 'http://good.example/healthz', 'good.example'), '200');
});

test('a service on all addresses says so', async t => {
  assert.match((await serving(t, { host: '0.0.0.0' })).url, /^http:\/\/0\.0\.0\.0:\d+$/);
});
