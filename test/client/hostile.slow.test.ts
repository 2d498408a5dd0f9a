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
  const cases: { what: string; sent: () => SentBytes; code: string; message: RegExp; of?: typeof report }[] =
    [
      {
        what: 'compressed without being requested: 64 MiB in 64 KiB',
        sent: () => whole(gzipSync(Buffer.alloc(64 << 20)), { headers: 'content-encoding: gzip\r\n' }),
        code: 'encoded_answer',
        message: /compressed, although compression was not requested/,
      },
      {
        what: 'a compressed report',
        sent: () => whole(gzipSync('{}'), { headers: 'content-encoding: identity, br\r\n' }),
        of: report,
        code: 'encoded_answer',
        message: /compressed/,
      },
      {
        what: 'a header that never ends',
        sent: () => endless('HTTP/1.1 200 OK\r\nx: ', 'a'.repeat(64 << 10)),
        code: 'headers_too_large',
        message: /headers exceed the limit of 16,384 bytes/,
      },
      {
        what: 'headers that never end',
        sent: () => endless('HTTP/1.1 200 OK\r\n', `x: ${'a'.repeat(1000)}\r\n`),
        code: 'headers_too_large',
        message: /headers exceed the limit of 16,384 bytes/,
      },
      {
        what: 'trailers that never end',
        sent: () =>
          endless(
            'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n',
            `x: ${'a'.repeat(1000)}\r\n`,
          ),
        code: 'headers_too_large',
        message: /headers exceed the limit of 16,384 bytes/,
      },
      {
        what: 'nested lists that never end',
        sent: () => whole('['.repeat(4 << 20)),
        code: 'wrong_answer',
        message: /nested too deeply/,
      },
      {
        what: 'nested lists',
        sent: () => whole(nested(2 << 20)),
        code: 'wrong_answer',
        message: /nested too deeply/,
      },
      {
        what: 'a report of nested lists',
        sent: () => whole(`{"tech_specs":{"a":${nested(1 << 20)}},"drivers":[]}`),
        of: report,
        code: 'wrong_answer',
        message: /nested too deeply/,
      },
      {
        what: 'a report with a million invalid drivers',
        sent: () => whole(`{"tech_specs":{},"drivers":[${'0,'.repeat(1_000_000)}0]}`),
        of: report,
        code: 'wrong_answer',
        message: /invalid report: drivers has more than 20000 members/,
      },
      {
        what: 'a report without tech specs',
        sent: () => whole('{"drivers":[]}'),
        of: report,
        code: 'wrong_answer',
        message: /invalid report: tech_specs is missing or not an object/,
      },
      {
        what: 'a report that names a class twice',
        sent: () => whole('{"tech_specs":{},"drivers":[],"classes":["no","yes","no"]}'),
        of: report,
        code: 'wrong_answer',
        message: /invalid report: classes: a class is listed twice/,
      },
      {
        what: 'more classes than a batch may have',
        sent: () =>
          whole(
            predictions({
              probabilities: Object.fromEntries(
                Array.from({ length: 200_000 }, (_, name) => [`c${name}`, 0]),
              ),
            }),
          ),
        code: 'wrong_answer',
        message: /200,000 classes; the limit is 1,000/,
      },
      ...['null', '"words"', '0', '[]'].map(text => ({
        what: `a report that is ${text}`,
        sent: () => whole(text),
        of: report,
        code: 'wrong_answer',
        message: /invalid report: it is missing or not an object/,
      })),
    ];
  for (const { what, sent, of, code, message } of cases)
    it(`is retried: ${what}`, async t => {
      const failure = await failureOf(t, sent, of);
      assert.deepEqual([failure.kind, failure.code], ['invalid_response', code]);
      assert.match(failure.message, message);
    });
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
