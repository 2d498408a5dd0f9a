import assert from 'node:assert/strict';
import { buffer, text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { connectReports } from '../../src/client/protocols/report/report-client.ts';
import { reportProtocol } from '../../src/client/protocols/report/report-protocol.ts';
import { ofKind } from '../../src/formats/appended.ts';
import type { CallError } from '../../src/scoring/failures/call-error.ts';
import { freePort } from '../support/listen.ts';
import { key } from '../support/secrets.ts';
import { type ConnectOptions, connect } from '../support/stub/connect.ts';
import { reportBatch } from '../support/stub/report-batch.ts';
import { probabilitiesOf, type StubCall, type StubOptions, send } from '../support/stub/service.ts';

const features = { plan: 'basic', age: 40 };
const body = Buffer.from(JSON.stringify({ id: 'churn', personas: [{ features }] }));
const expected = { personas: 1, predictionType: { kind: 'distribution', classes: ['no', 'yes'] } } as const;
const probabilities = Object.values(probabilitiesOf(features, ['no', 'yes']));

/** Sends a batch request whose first response comes from `behave`; returns the failure reported before the retry. */
async function failOnceThenSucceed(t: TestContext, behave: (call: StubCall) => void): Promise<CallError> {
  const reported: CallError[] = [];
  const { client, stub } = await connect(t, {
    behave(call) {
      if (call.number === 1) behave(call);
      return call.number === 1;
    },
    onRetry: failure => reported.push(failure),
  });
  const received = await client.predict(reportBatch('churn', body, expected));
  assert.deepEqual([...ofKind(received, 'distribution').probabilities], probabilities);
  assert.equal(stub.bodies.length, 2);
  const [first, ...more] = reported;
  assert.ok(first !== undefined && more.length === 0);
  return first;
}

/** Sends a batch request that fails for good with the first response. */
async function failWithoutRetry(t: TestContext, behave: (call: StubCall) => void): Promise<CallError> {
  const { client, stub } = await connect(t, {
    behave(call) {
      behave(call);
      return true;
    },
  });
  const failure = await failureOf(client.predict(reportBatch('churn', body, expected)));
  assert.equal(stub.bodies.length, 1, 'the request was retried');
  return failure;
}

async function failureOf(call: Promise<unknown>): Promise<CallError> {
  try {
    await call;
  } catch (error) {
    return error as CallError; // the documented type
  }
  throw new Error('the request did not fail');
}

describe('a request', { concurrency: true }, () => {
  it('sends the body unchanged, the key only as an ApiKey, and appends to the path of the base URL', async t => {
    const requests: { method?: string; url?: string; headers: string }[] = [];
    const { client, stub } = await connect(t, {
      path: '/api/v1',
      first({ method = '', url = '', headers }) {
        assert.equal(headers.authorization, `ApiKey ${key}`);
        assert.ok(headers['x-request-id']);
        assert.equal(headers['accept-encoding'], 'identity');
        const { authorization: _, ...others } = headers;
        requests.push({ method, url, headers: JSON.stringify(others) });
        return false;
      },
    });
    const received = await client.predict(reportBatch('churn', body, expected));
    assert.deepEqual([...ofKind(received, 'distribution').probabilities], probabilities);
    assert.deepEqual(stub.bodies, [JSON.parse(body.toString())]);
    assert.equal(requests.length, 1);
    assert.deepEqual([requests[0]?.method, requests[0]?.url], ['POST', '/api/v1/user/batch-persona']);
    assert.match(requests[0]?.headers ?? '', /"content-type":"application\/json"/);
    assert.ok(!requests[0]?.headers.includes(key));
  });

  it('does not follow redirects: nothing is sent to another host', async t => {
    let elsewhere = 0;
    const other = await connect(t, {
      first: () => {
        elsewhere++;
        return false;
      },
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const { client, reports } = await connect(t, {
        first: ({ url }, response) => !!response.writeHead(status, { location: other.stub.url + url }).end(),
        onRetry: () => assert.fail('it is retried'),
      });
      for (const call of [
        () => client.predict(reportBatch('churn', body, expected)),
        () => reports.report('churn'),
      ]) {
        const failure = await failureOf(call());
        assert.deepEqual([failure.kind, failure.code], ['fatal', `http_${status}`]);
        assert.match(failure.hint ?? '', /Redirects are not followed/);
      }
    }
    assert.equal(elsewhere, 0);
  });

  it('is classified by its status if the body of the error response is truncated', async t => {
    for (const [status, kind] of [
      [413, 'rejected_request'],
      [401, 'fatal'],
    ] as const) {
      const failure = await failWithoutRetry(t, ({ request, response }) => {
        response.writeHead(status, { 'content-length': 1000 });
        response.write('{"code":', () => request.socket.destroy());
      });
      assert.deepEqual([failure.kind, failure.code], [kind, `http_${status}`]);
    }
  });

  it('that the service rejects fails at once, with the code and message of the response and the request', async t => {
    const problem = { code: 'not_a_persona', title: 'No persona', detail: 'features\nis missing' };
    for (const [status, kind, hint] of [
      [400, 'rejected_request', /^$/],
      [413, 'rejected_request', /--batch-bytes/],
      [422, 'rejected_request', /^$/],
      [401, 'fatal', /Check the key, and --auth/],
      [403, 'fatal', /Check the key/],
      [404, 'fatal', /the report/],
    ] as const) {
      const failure = await failWithoutRetry(t, ({ response }) => send(response, status, problem));
      assert.deepEqual([failure.kind, failure.code], [kind, 'not_a_persona']);
      assert.match(failure.hint ?? '', hint);
      assert.equal(failure.message, `the service responded with ${status}: features is missing`);
      assert.match(failure.location.request ?? '', /^POST http:\/\/127\.0\.0\.1:\d+\/user\/batch-persona$/);
    }
  });

  it('with a wrong key names the key to check', async t => {
    const { client } = await connect(t, { key: 'another', keyFrom: 'ROWCAST_OF_B' });
    const failure = await failureOf(client.predict(reportBatch('churn', body, expected)));
    assert.deepEqual([failure.code, failure.severity], ['unauthorized', 'refused']);
    assert.match(failure.hint ?? '', /Check the key in ROWCAST_OF_B,/);
  });

  it('is retried after a 5xx, whether the body is a problem document, HTML or empty', async t => {
    await Promise.all(
      (
        [
          [500, { code: 'broken' }, 'server_error', 'broken', /responded with 500/],
          [500, { code: '../../etc' }, 'server_error', 'http_500', /responded with 500/],
          [502, '', 'unavailable', 'http_502', /responded with 502$/],
          [503, '<html><h1>Bad\u0007day</h1></html>', 'busy', 'http_503', /responded with 503: Bad day$/],
          [503, '<p>\n</p>', 'busy', 'http_503', /responded with 503$/],
          [504, 'x'.repeat(100_000), 'unavailable', 'http_504', /504: x+…$/],
        ] as const
      ).map(async ([status, sent, kind, code, message]) => {
        const failure = await failOnceThenSucceed(t, ({ response }) =>
          typeof sent === 'string' ? void response.writeHead(status).end(sent) : send(response, status, sent),
        );
        assert.deepEqual([failure.kind, failure.code], [kind, code]);
        assert.match(failure.message, message);
      }),
    );
  });

  it('is retried if its response must not be merged', async t => {
    const cases: [(call: StubCall) => void, RegExp][] = [
      [({ response }) => void response.writeHead(200).end(), /not JSON: ""/],
      [({ response }) => void response.writeHead(200).end('<html>'), /not JSON: "<html>"/],
      [
        ({ response, defaultResponse }) => send(response, 200, { ...defaultResponse, predictions: [] }),
        /0 predictions/,
      ],
    ];
    await Promise.all(
      cases.map(async ([behave, message]) => {
        const failure = await failOnceThenSucceed(t, behave);
        assert.deepEqual([failure.kind, failure.code], ['invalid_response', 'wrong_answer']);
        assert.match(failure.message, message);
      }),
    );
  });

  it('fails for good if the response has different classes than the header', async t => {
    const failure = await failWithoutRetry(t, ({ response, defaultResponse }) =>
      send(response, 200, { ...defaultResponse, predictions: [{ probabilities: { no: 1 } }] }),
    );
    assert.deepEqual([failure.kind, failure.code], ['fatal', 'wrong_answer']);
    assert.match(failure.hint ?? '', /Start over/);
  });

  it('is retried if the connection breaks, before or during the response', async t => {
    const breaks: ((call: StubCall) => void)[] = [
      ({ request }) => void request.socket.destroy(),
      ({ request, response }) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"id":"churn","predictions":[', () => request.socket.destroy());
      },
      // Without content-length, only the missing last chunk shows that the response is incomplete.
      ({ request, response, defaultResponse }) => {
        response.writeHead(200);
        response.write(JSON.stringify(defaultResponse), () => request.socket.destroy());
      },
    ];
    await Promise.all(
      breaks.map(async behave => {
        const failure = await failOnceThenSucceed(t, behave);
        assert.deepEqual([failure.kind, failure.code], ['unavailable', 'connection_broken']);
      }),
    );
  });

  it('is aborted after its timeout, before or during the response, and retried', async t => {
    const hangs: ((call: StubCall) => void)[] = [
      () => {},
      ({ response }) => {
        response.writeHead(200);
        response.write('{');
      },
    ];
    await Promise.all(
      hangs.map(async behave => {
        const failures: CallError[] = [];
        const { client } = await connect(t, {
          timeout: 3, // so that a busy machine responds to the second or third attempt in time
          behave(call) {
            if (call.number === 1) behave(call);
            return call.number === 1;
          },
          onRetry: failure => failures.push(failure),
        });
        await client.predict(reportBatch('churn', body, expected));
        const [failure] = failures;
        assert.ok(failure);
        assert.deepEqual([failure.kind, failure.code], ['unavailable', 'service_timeout']);
        assert.match(failure.message, /within 3 s/);
      }),
    );
  });

  it('waits at least as long as Retry-After asks', async t => {
    const waits: number[] = [];
    const { client } = await connect(t, {
      maxOutage: 7200,
      behave({ response }) {
        send(response, 429, { code: 'busy' }, { 'retry-after': '3600' });
        return true;
      },
      onRetry(_, wait) {
        waits.push(wait);
        void client.close(); // ends the wait
      },
    });
    await assert.rejects(client.predict(reportBatch('churn', body, expected)));
    assert.equal(waits.length, 1);
    assert.ok(Number(waits[0]) >= 3600_000 && Number(waits[0]) < 3601_000, String(waits[0]));
  });

  it('may be one of many without a leak warning from Node', async t => {
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', note);
    t.after(() => process.off('warning', note));
    const { client } = await connect(t, { concurrency: 20 });
    await Promise.all(Array.from({ length: 40 }, () => client.predict(reportBatch('churn', body, expected))));
    assert.deepEqual(warnings, []);
  });

  it('ends when the client is closed, also with a signal of its own, which is not an outage', async t => {
    for (const signal of [undefined, new AbortController().signal]) {
      const { client, stub } = await connect(t, {
        behave() {
          void client.close();
          return true;
        },
      });
      const failure = await failureOf(client.predict(reportBatch('churn', body, expected), signal));
      assert.equal(stub.bodies.length, 1);
      if (signal) assert.deepEqual([failure.kind, failure.code], ['fatal', 'client_closed']);
    }
  });
});

it('a response that is too large to be valid is aborted', async t => {
  const failure = await failWithoutRetry(t, ({ response }) => {
    const chunk = Buffer.alloc(4 << 20, ' ');
    response.on('close', () => clearImmediate(next));
    const more = (): void => {
      if (response.write(chunk)) next = setImmediate(more);
      else response.once('drain', more);
    };
    response.writeHead(200);
    let next = setImmediate(more);
  });
  assert.deepEqual([failure.kind, failure.code], ['fatal', 'answer_too_large']);
});

describe('a report', () => {
  const answering =
    (status: number, report: unknown): NonNullable<StubOptions['first']> =>
    (_, response) => {
      send(response, status, report);
      return true;
    };

  it('may have fewer members than the contract, or more', async t => {
    const least = { tech_specs: {}, drivers: [] };
    const { client } = await connect(t, { first: answering(200, { ...least, extra: 1 }) });
    assert.deepEqual(await client.describe('churn'), { ...least, extra: 1 });
  });

  it('is requested by an id that cannot escape its path segment', async t => {
    const paths: string[] = [];
    const { client } = await connect(t, {
      first({ url = '' }) {
        paths.push(url);
        return false;
      },
    });
    await client.describe('../a?b#c/d');
    assert.deepEqual(paths, ['/user/report/..%2Fa%3Fb%23c%2Fd']);
  });

  it('that does not exist prevents the run', async t => {
    const { client } = await connect(t, {
      first: answering(404, { code: 'no_such_report', detail: 'gone' }),
    });
    const failure = await failureOf(client.describe('churn'));
    assert.deepEqual([failure.code, failure.severity], ['no_such_report', 'refused']);
    assert.match(failure.location.request ?? '', /^GET http:.*\/user\/report\/churn$/);
  });

  it('that never comes prevents it when the timeout and the maximum outage are over', async t => {
    const { client } = await connect(t, { first: () => true, timeout: 0.1, maxOutage: 0.1 });
    const failure = await failureOf(client.describe('churn'));
    assert.deepEqual([failure.code, failure.severity], ['service_timeout', 'temporary']);
  });
});

describe('testing results', () => {
  it('are returned as the bytes that the service sends', async t => {
    const csv = Buffer.from(`a,b\r\n${'é,"1\n"\r\n'.repeat(50_000)}`);
    const { reports } = await connect(t, {
      first({ headers }, response) {
        assert.equal(headers.accept, 'text/csv');
        response.end(csv);
        return true;
      },
    });
    assert.ok(csv.equals(await buffer(reports.testingResults('churn'))));
  });

  it('are waited for while the service is busy', async t => {
    let requests = 0;
    const { reports } = await connect(t, {
      first(_, response) {
        requests++;
        if (requests === 1) send(response, 429, { code: 'busy' }, { 'retry-after': '0' });
        else response.end('a,b\n');
        return true;
      },
    });
    assert.equal(await text(reports.testingResults('churn')), 'a,b\n');
    assert.equal(requests, 2);
  });

  it('that are truncated are a failure, not an end', async t => {
    const { reports } = await connect(t, {
      first({ socket }, response) {
        response.write('a,b\n', () => socket.destroy());
        return true;
      },
    });
    const failure = await failureOf(buffer(reports.testingResults('churn')));
    assert.equal(failure.code, 'connection_broken');
  });
});

it('a single persona is sent and its response read with the wire names of the deployment', async t => {
  const sent: string[] = [];
  let warnings: unknown;
  const wire = { id: 'r', personas: 'ps', features: 'f', predictions: 'x', probabilities: 'p', error: 'e' };
  const { reports } = await connect(t, {
    protocol: reportProtocol(wire),
    first(request, response) {
      void text(request).then(body => {
        sent.push(`${request.url} ${body}`);
        send(response, 200, { r: 'churn', p: { no: 1 }, warnings });
      });
      return true;
    },
  });
  assert.deepEqual(await reports.persona('churn', features), { probabilities: { no: 1 }, warnings: [] });
  assert.deepEqual(sent, ['/user/persona {"r":"churn","f":{"plan":"basic","age":40}}']);
  warnings = [{ code: 'unseen', column: 'plan', message: 'the model does not know this category' }];
  assert.deepEqual((await reports.persona('churn', features)).warnings, warnings);
  // A hosted service may use the name for something else.
  warnings = ['deprecated'];
  assert.deepEqual((await reports.persona('churn', features)).warnings, []);
});

describe('the key does not appear in failures', { concurrency: true }, () => {
  const key = 'secret_1234567890'; // also valid as a problem code

  async function assertHidden(t: TestContext, options: ConnectOptions): Promise<void> {
    const failures: unknown[] = [];
    const { client } = await connect(t, {
      ...options,
      key,
      onRetry(failure) {
        failures.push(failure);
        void client.close();
      },
    });
    failures.push(await failureOf(client.predict(reportBatch('churn', body, expected))));
    for (let error of failures)
      for (; error instanceof Error; error = error.cause) {
        const whole = [
          inspect(error, { depth: 20, showHidden: true, maxStringLength: null }),
          JSON.stringify(error),
          error.stack,
        ].join('\n');
        assert.doesNotMatch(whole, /secret_12/);
      }
  }

  it('if it is wrong, or if the request is redirected, times out or breaks', async t => {
    await assertHidden(t, {}); // the stub expects another key
    await assertHidden(t, {
      first: (_, response) => !!response.writeHead(302, { location: `https://a/?key=${key}` }).end(),
    });
    await assertHidden(t, { first: () => true, timeout: 0.1 });
    await assertHidden(t, { first: ({ socket }) => !!socket.destroy() });
  });

  it('if the service repeats it', async t => {
    const padded = (authorization: string): string => 'x'.repeat(185) + authorization;
    const echoes: [number, (authorization: string) => unknown][] = [
      [401, detail => ({ code: key, detail })],
      [500, title => ({ title })],
      [400, authorization => `<p>${authorization}</p>`],
      [200, authorization => `<p>${authorization}</p>`],
      [200, authorization => ({ predictions: [{ probabilities: { [authorization]: 1 } }] })],
      // Messages are truncated to 200 characters, which must not leave a part of the key.
      [400, padded],
      [200, padded],
    ];
    for (const [status, echo] of echoes)
      await assertHidden(t, {
        first({ headers: { authorization = '' } }, response) {
          assert.match(authorization, /secret/);
          const body = echo(authorization);
          response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
          return true;
        },
      });
  });

  it('if it is not a valid header value, or if nothing listens', async t => {
    const port = await freePort();
    for (const bad of [key, `${key}\n`]) {
      const client = connectReports({
        url: new URL(`http://127.0.0.1:${port}`),
        key: bad,
        name: 'nobody',
        onRetry: () => void client.close(),
      });
      t.after(() => client.close());
      const failure = await failureOf(client.predict(reportBatch('churn', body, expected)));
      assert.doesNotMatch(inspect(failure, { depth: 20, showHidden: true }), /secret_12/);
    }
  });
});
