import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
