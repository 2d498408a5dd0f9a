import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Distributions } from '../../src/base/contract/predictions.ts';
import { connectReports } from '../../src/client/protocols/report/report-client.ts';
import { reportProtocol } from '../../src/client/protocols/report/report-protocol.ts';
import type { ServiceClient } from '../../src/client/service-client.ts';
import { ofKind } from '../../src/formats/appended.ts';
import { CallError } from '../../src/scoring/failures/call-error.ts';
import { endless, nested, type SentBytes, startRaw, whole } from '../support/stub/raw.ts';
import { reportBatch } from '../support/stub/report-batch.ts';

const body = Buffer.from(JSON.stringify({ id: 'r', personas: [{ features: {} }] }));
const batch = async (client: ServiceClient): Promise<Distributions> => {
  const sent = reportBatch('r', body, { personas: 1, predictionType: undefined });
  return ofKind(await client.predict(sent), 'distribution');
};
const report = (client: ServiceClient): Promise<unknown> => client.describe('r');

/** A client of a server that sends the same response to every request, and the failures that it retries. */
async function connect(
  t: TestContext,
  sent: () => SentBytes,
  timeout = 60,
): Promise<{ client: ServiceClient; retried: CallError[] }> {
  const url = new URL(await startRaw(t, sent));
  const retried: CallError[] = [];
  const client = connectReports({
    url,
    key: 'a-key',
    name: 'raw',
    timeout,
    onRetry(failure) {
      retried.push(failure);
      void client.close(); // once is enough
    },
  });
  t.after(() => client.close());
  return { client, retried };
}

/** The failure of the first request to a server with this response. */
async function failureOf(
  t: TestContext,
  sent: () => SentBytes,
  call: (client: ServiceClient) => Promise<unknown> = batch,
): Promise<CallError> {
  const { client, retried } = await connect(t, sent);
  const error = await call(client).then(
    () => assert.fail('the response was accepted'),
    failure => retried[0] ?? failure,
  );
  assert.ok(error instanceof CallError, String(error));
  return error;
}

const predictions = (...list: unknown[]): string => JSON.stringify({ predictions: list });
const good = { probabilities: { no: 0.25, yes: 0.75 } };

describe('an invalid response', { concurrency: 4 }, () => {
  const isRetried = (
    what: string,
    sent: () => SentBytes,
    code: string,
    message: RegExp,
    of?: typeof report,
  ): void =>
    void it(`is retried: ${what}`, async t => {
      const failure = await failureOf(t, sent, of);
      assert.deepEqual([failure.kind, failure.code], ['invalid_response', code]);
      assert.match(failure.message, message);
    });

  const large = gzipSync(Buffer.alloc(64 << 20));
  for (const [what, body, encoding, of] of [
    ['compressed without being requested: 64 MiB in 64 KiB', large, 'gzip', undefined],
    ['a compressed report', gzipSync('{}'), 'identity, br', report],
  ] as const) {
    const headers = `content-encoding: ${encoding}\r\n`;
    const message = /compressed, although compression was not requested/;
    isRetried(what, () => whole(body, { headers }), 'encoded_answer', message, of);
  }

  const line = `x: ${'a'.repeat(1000)}\r\n`;
  for (const [what, start, rest] of [
    ['a header that never ends', 'x: ', 'a'.repeat(64 << 10)],
    ['headers that never end', '', line],
    ['trailers that never end', 'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n', line],
  ] as const) {
    const message = /headers exceed the limit of 16,384 bytes/;
    isRetried(what, () => endless(`HTTP/1.1 200 OK\r\n${start}`, rest), 'headers_too_large', message);
  }

  const classes = Object.fromEntries(Array.from({ length: 200_000 }, (_, name) => [`c${name}`, 0]));
  const notObject = /invalid report: it is missing or not an object/;
  const noDrivers = '"tech_specs":{},"drivers":[';
  for (const [what, text, message, of] of [
    ['nested lists that never end', '['.repeat(4 << 20), /nested too deeply/],
    ['nested lists', nested(2 << 20), /nested too deeply/],
    ['too many classes', predictions({ probabilities: classes }), /200,000 classes; the limit is 1,000/],
    ['a report of nested lists', `{"tech_specs":{"a":${nested(1 << 20)}}}`, /nested too deeply/, report],
    [
      'a report with a million invalid drivers',
      `{${noDrivers}${'0,'.repeat(1_000_000)}0]}`,
      /invalid report: drivers has more than 20000 members/,
      report,
    ],
    [
      'a report without tech specs',
      '{"drivers":[]}',
      /invalid report: tech_specs is missing or not an object/,
      report,
    ],
    [
      'a report that names a class twice',
      `{${noDrivers}],"classes":["no","yes","no"]}`,
      /invalid report: classes: a class is listed twice/,
      report,
    ],
    ...['null', '"words"', '0', '[]'].map(
      text => [`a report that is ${text}`, text, notObject, report] as const,
    ),
  ] as const)
    isRetried(what, () => whole(text), 'wrong_answer', message, of);
});

describe('a response', { concurrency: 4 }, () => {
  it('that declares itself uncompressed is accepted', async t => {
    const { client } = await connect(t, () =>
      whole(predictions(good), { headers: 'content-encoding: identity\r\n' }),
    );
    assert.deepEqual([...(await batch(client)).probabilities], [0.25, 0.75]);
  });

  it('with an error status is classified by it, compressed or not', async t => {
    const failure = await failureOf(t, () =>
      whole(gzipSync('<h1>away</h1>'), { status: 503, headers: 'content-encoding: gzip\r\n' }),
    );
    assert.deepEqual([failure.kind, failure.code], ['busy', 'http_503']);
    assert.equal(failure.message, 'the service responded with 503');
  });

  it('that never gets anywhere is aborted by the timeout', async t => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(100);
    const extension = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;';
    for (const sent of [() => endless('', hints), () => endless(extension, 'a'.repeat(64 << 10))]) {
      const { client, retried } = await connect(t, sent, 0.5);
      await assert.rejects(batch(client));
      assert.deepEqual([retried[0]?.kind, retried[0]?.code], ['unavailable', 'service_timeout']);
    }
  });

  it('with a deeply nested error message is invalid, but brackets inside strings do not count', async t => {
    const deep = nested(33);
    const sent = (words: string) => (): SentBytes =>
      whole(`{"predictions":[{"error":{"code":"x","message":${words}}}]}`);
    const failure = await failureOf(t, sent(deep));
    assert.equal(failure.message, 'the response is nested too deeply');
    for (const text of [deep, '"[[\\', '[{'.repeat(40)]) {
      const { client } = await connect(t, sent(JSON.stringify(text)));
      assert.equal((await batch(client)).errors.get(0)?.message, text);
    }
  });
});

it('a proxy’s page is read in linear time, whatever it contains', () => {
  const { detail } = reportProtocol().problemOf(500, '<'.repeat(1 << 20), {});
  assert.equal(detail.length, 1 << 20);
});
