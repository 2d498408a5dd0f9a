import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import type { CallError } from '../../src/client/call-error.ts';
import { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/client-options.ts';
import { key } from '../support/secrets.ts';
import { connect } from '../support/stub/connect.ts';
import { probabilitiesOf, type StubCall, type StubOptions, send } from '../support/stub/service.ts';

const features = { plan: 'basic', age: 40 };
const body = Buffer.from(JSON.stringify({ id: 'churn', personas: [{ features }] }));
const expected = { personas: 1, classes: ['no', 'yes'] };
const probabilities = Object.values(probabilitiesOf(features, ['no', 'yes']));

/** A batch call whose first answer is `behave`'s, and the failure that was told before the next try. */
async function callTwice(t: TestContext, behave: (call: StubCall) => void): Promise<CallError> {
  const told: CallError[] = [];
  const { client, stub } = await connect(t, {
    behave(call) {
      if (call.number === 1) behave(call);
      return call.number === 1;
    },
    onRetry: failure => told.push(failure),
  });
  const answer = await client.batchPersona(body, expected);
  assert.deepEqual([...answer.probabilities], probabilities);
  assert.equal(stub.bodies.length, 2);
  const [first, ...more] = told;
  assert.ok(first !== undefined && more.length === 0);
  return first;
}

/** A batch call that fails for good at the first answer. */
async function callOnce(t: TestContext, behave: (call: StubCall) => void): Promise<CallError> {
  const { client, stub } = await connect(t, {
    behave(call) {
      behave(call);
      return true;
    },
  });
  const failure = await failureOf(client.batchPersona(body, expected));
  assert.equal(stub.bodies.length, 1, 'the call was tried again');
  return failure;
}

async function failureOf(call: Promise<unknown>): Promise<CallError> {
  try {
    await call;
  } catch (error) {
    return error as CallError; // what the client promises to throw
  }
  throw new Error('the call did not fail');
}

describe('a call', { concurrency: true }, () => {
  it('sends the body as it is, the key as an ApiKey and nowhere else, under the path of the base URL', async t => {
    const requests: { method?: string; url?: string; headers: string }[] = [];
    const { client, stub } = await connect(t, {
      path: '/api/v1',
      first({ method = '', url = '', headers }) {
        assert.equal(headers.authorization, `ApiKey ${key}`);
        const { authorization: _, ...others } = headers;
        requests.push({ method, url, headers: JSON.stringify(others) });
        return false;
      },
    });
    const answer = await client.batchPersona(body, expected);
    assert.deepEqual([...answer.probabilities], probabilities);
    assert.deepEqual(stub.bodies, [JSON.parse(body.toString())]);
    assert.equal(requests.length, 1);
    assert.deepEqual([requests[0]?.method, requests[0]?.url], ['POST', '/api/v1/user/batch-persona']);
    assert.match(requests[0]?.headers ?? '', /"content-type":"application\/json"/);
    assert.ok(!requests[0]?.headers.includes(key));
  });

  it('is not redirected: nothing goes elsewhere', async t => {
    let elsewhere = 0;
    const other = await connect(t, {
      first: () => {
        elsewhere++;
        return false;
      },
    });
    for (const status of [301, 302, 307, 308]) {
      const failure = await callOnce(t, ({ response }) => {
        response.writeHead(status, { location: `${other.stub.url}/user/batch-persona` }).end();
      });
      assert.deepEqual([failure.kind, failure.code], ['fatal', `http_${status}`]);
      assert.match(failure.hint ?? '', /Redirects are not followed/);
    }
    assert.equal(elsewhere, 0);
  });

  it('is judged by its status where the words after it break off', async t => {
    for (const [status, kind] of [
      [413, 'rejected_request'],
      [401, 'fatal'],
    ] as const) {
      const failure = await callOnce(t, ({ request, response }) => {
        response.writeHead(status, { 'content-length': 1000 });
        response.write('{"code":', () => request.socket.destroy());
      });
      assert.deepEqual([failure.kind, failure.code], [kind, `http_${status}`]);
    }
  });

  it('that the service will not have fails at once, with its code and words and what was asked', async t => {
    const problem = { code: 'not_a_persona', title: 'No persona', detail: 'features\nis missing' };
    for (const [status, kind] of [
      [400, 'rejected_request'],
      [413, 'rejected_request'],
      [422, 'rejected_request'],
      [401, 'fatal'],
      [403, 'fatal'],
      [404, 'fatal'],
    ] as const) {
      const failure = await callOnce(t, ({ response }) => send(response, status, problem));
      assert.deepEqual([failure.kind, failure.code], [kind, 'not_a_persona']);
      assert.equal(failure.message, `the service responded with ${status}: features is missing`);
      assert.match(failure.location.request ?? '', /^POST http:\/\/127\.0\.0\.1:\d+\/user\/batch-persona$/);
    }
  });

  it('with a wrong key says which key to check', async t => {
    const { client } = await connect(t, { key: 'another' });
    const failure = await failureOf(client.batchPersona(body, expected));
    assert.deepEqual([failure.code, failure.severity], ['unauthorized', 'refused']);
    assert.match(failure.hint ?? '', /ROWCAST_API_KEY/);
  });

  it('is tried again after a 5xx, whether its words are a problem, HTML or nothing', async t => {
    const cases: [(call: StubCall) => void, string, string, RegExp][] = [
      [
        ({ response }) => send(response, 500, { code: 'broken' }),
        'server_error',
        'broken',
        /responded with 500/,
      ],
      [
        ({ response }) => void response.writeHead(502).end(),
        'unavailable',
        'http_502',
        /responded with 502$/,
      ],
      [
        ({ response }) => void response.writeHead(503).end('<html><h1>Bad\u0007day</h1></html>'),
        'busy',
        'http_503',
        /responded with 503: Bad day$/,
      ],
      [
        ({ response }) => void response.writeHead(503).end('<p>\n</p>'),
        'busy',
        'http_503',
        /responded with 503$/,
      ],
      [
        ({ response }) => send(response, 500, { code: '../../etc' }),
        'server_error',
        'http_500',
        /responded with 500/,
      ],
      [
        ({ response }) => void response.writeHead(504).end('x'.repeat(100_000)),
        'unavailable',
        'http_504',
        /504$/,
      ],
    ];
    await Promise.all(
      cases.map(async ([behave, kind, code, message]) => {
        const failure = await callTwice(t, behave);
        assert.deepEqual([failure.kind, failure.code], [kind, code]);
        assert.match(failure.message, message);
      }),
    );
  });

  it('is tried again when its answer must not be merged', async t => {
    const cases: [(call: StubCall) => void, RegExp][] = [
      [({ response }) => void response.writeHead(200).end(), /not JSON: ""/],
      [({ response }) => void response.writeHead(200).end('<html>'), /not JSON: "<html>"/],
      [({ response, answer }) => send(response, 200, { ...answer, predictions: [] }), /0 predictions/],
    ];
    await Promise.all(
      cases.map(async ([behave, message]) => {
        const failure = await callTwice(t, behave);
        assert.deepEqual([failure.kind, failure.code], ['invalid_response', 'wrong_answer']);
        assert.match(failure.message, message);
      }),
    );
  });

  it('fails for good when the answer has other classes than the header', async t => {
    const failure = await callOnce(t, ({ response, answer }) =>
      send(response, 200, { ...answer, predictions: [{ probabilities: { no: 1 } }] }),
    );
    assert.deepEqual([failure.kind, failure.code], ['fatal', 'wrong_answer']);
    assert.match(failure.hint ?? '', /Start over/);
  });

  it('is tried again when the connection breaks, before the answer or in the middle of it', async t => {
    const breaks: ((call: StubCall) => void)[] = [
      ({ request }) => void request.socket.destroy(),
      ({ request, response }) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"id":"churn","predictions":[', () => request.socket.destroy());
      },
      // Without a length the whole answer would look complete, were it not for the last chunk.
      ({ request, response, answer }) => {
        response.writeHead(200);
        response.write(JSON.stringify(answer), () => request.socket.destroy());
      },
    ];
    await Promise.all(
      breaks.map(async behave => {
        const failure = await callTwice(t, behave);
        assert.deepEqual([failure.kind, failure.code], ['unavailable', 'connection_broken']);
      }),
    );
  });

  it('is given up after its time, before the answer or in the middle of it, and tried again', async t => {
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
          timeout: 0.4,
          behave(call) {
            if (call.number === 1) behave(call);
            return call.number === 1;
          },
          onRetry: failure => failures.push(failure),
        });
        await client.batchPersona(body, expected); // on a busy machine perhaps not at the second try
        const [failure] = failures;
        assert.ok(failure);
        assert.deepEqual([failure.kind, failure.code], ['unavailable', 'service_timeout']);
        assert.match(failure.message, /within 0\.4 s/);
      }),
    );
  });

  it('waits no shorter than Retry-After asks, in seconds or as a date', async t => {
    const inAnHour = new Date(Date.now() + 3600_000).toUTCString();
    for (const [header, least] of [
      ['3600', 3600_000],
      [inAnHour, 3500_000],
    ] as const) {
      const waits: number[] = [];
      const { client } = await connect(t, {
        maxOutage: 7200,
        behave({ response }) {
          send(response, 429, { code: 'busy' }, { 'retry-after': header });
          return true;
        },
        onRetry(_, wait) {
          waits.push(wait);
          void client.close(); // ends the wait
        },
      });
      await assert.rejects(client.batchPersona(body, expected));
      assert.equal(waits.length, 1);
      assert.ok(Number(waits[0]) >= least && Number(waits[0]) < 3601_000, String(waits[0]));
    }
  });

  it('may be one of many: Node warns of no leak', async t => {
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', note);
    t.after(() => process.off('warning', note));
    const { client } = await connect(t, { concurrency: 20 });
    await Promise.all(Array.from({ length: 40 }, () => client.batchPersona(body, expected)));
    assert.deepEqual(warnings, []);
  });

  it('ends when the client is closed', async t => {
    const { client, stub } = await connect(t, {
      behave() {
        void client.close();
        return true;
      },
    });
    await assert.rejects(client.batchPersona(body, expected));
    assert.equal(stub.bodies.length, 1);
  });

  it('ends when the client is closed, whoever else waits for its answer: that is no outage', async t => {
    const { client } = await connect(t, {
      behave() {
        void client.close();
        return true;
      },
    });
    const { signal } = new AbortController();
    const failure = await failureOf(client.batchPersona(body, expected, signal));
    assert.deepEqual([failure.kind, failure.code], ['fatal', 'client_closed']);
  });
});

it('an answer that is too large to be one is given up', async t => {
  const failure = await callOnce(t, ({ response }) => {
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

  it('may say less than the contract, and more', async t => {
    const least = { tech_specs: {}, drivers: [] };
    const { client } = await connect(t, { first: answering(200, { ...least, extra: 1 }) });
    assert.deepEqual(await client.report('churn'), { ...least, extra: 1 });
  });

  it('is asked for by an id that cannot leave its place in the path', async t => {
    const paths: string[] = [];
    const { client } = await connect(t, {
      first({ url = '' }) {
        paths.push(url);
        return false;
      },
    });
    await client.report('../a?b#c/d');
    assert.deepEqual(paths, ['/user/report/..%2Fa%3Fb%23c%2Fd']);
  });

  it('that is not there refuses the run', async t => {
    const { client } = await connect(t, {
      first: answering(404, { code: 'no_such_report', detail: 'gone' }),
    });
    const failure = await failureOf(client.report('churn'));
    assert.deepEqual([failure.code, failure.severity], ['no_such_report', 'refused']);
    assert.match(failure.location.request ?? '', /^GET http:.*\/user\/report\/churn$/);
  });
});

describe('testing results', () => {
  it('come as the bytes that the service sends', async t => {
    const csv = Buffer.from(`a,b\r\n${'é,"1\n"\r\n'.repeat(50_000)}`);
    const { client } = await connect(t, {
      first({ headers }, response) {
        assert.equal(headers.accept, 'text/csv');
        response.end(csv);
        return true;
      },
    });
    assert.ok(csv.equals(await buffer(client.testingResults('churn'))));
  });

  it('that break off are a failure, not an end', async t => {
    const { client } = await connect(t, {
      first({ socket }, response) {
        response.write('a,b\n', () => socket.destroy());
        return true;
      },
    });
    const failure = await failureOf(buffer(client.testingResults('churn')));
    assert.equal(failure.code, 'connection_broken');
  });
});

it('one persona is sent and answered by the names of the deployment', async t => {
  const sent: string[] = [];
  const { client } = await connect(t, {
    wire: { id: 'r', personas: 'ps', features: 'f', predictions: 'x', probabilities: 'p', error: 'e' },
    first(request, response) {
      void text(request).then(body => {
        sent.push(`${request.url} ${body}`);
        send(response, 200, { r: 'churn', p: { no: 1 } });
      });
      return true;
    },
  });
  assert.deepEqual(await client.persona('churn', features), { no: 1 });
  assert.deepEqual(sent, ['/user/persona {"r":"churn","f":{"plan":"basic","age":40}}']);
});

describe('the key is in no failure', { concurrency: true }, () => {
  const key = 'secret_1234567890'; // which a problem's code could be, too

  async function assertHidden(t: TestContext, options: StubOptions & Partial<ClientOptions>): Promise<void> {
    const failures: unknown[] = [];
    const { client } = await connect(t, {
      ...options,
      key,
      onRetry(failure) {
        failures.push(failure);
        void client.close();
      },
    });
    failures.push(await failureOf(client.batchPersona(body, expected)));
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

  it('when it is wrong, when the call is redirected, times out or breaks', async t => {
    await assertHidden(t, {}); // the stub has another
    await assertHidden(t, {
      first: (_, response) => !!response.writeHead(302, { location: `https://a/?key=${key}` }).end(),
    });
    await assertHidden(t, { first: () => true, timeout: 0.1 });
    await assertHidden(t, { first: ({ socket }) => !!socket.destroy() });
  });

  it('when the service repeats it', async t => {
    const padded = (authorization: string): string => 'x'.repeat(185) + authorization;
    const echoes: [number, (authorization: string) => unknown][] = [
      [401, detail => ({ code: key, detail })],
      [500, title => ({ title })],
      [400, authorization => `<p>${authorization}</p>`],
      [200, authorization => `<p>${authorization}</p>`],
      [200, authorization => ({ predictions: [{ probabilities: { [authorization]: 1 } }] })],
      // A message is cut to 200 characters: not in the middle of the key either.
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

  it('when it is no header at all, or nobody listens', async t => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // listening on a port, not on a path
    server.close();
    await once(server, 'close');
    for (const bad of [key, `${key}\n`]) {
      const client = new Client({
        url: new URL(`http://127.0.0.1:${port}`),
        key: bad,
        name: 'nobody',
        onRetry: () => void client.close(),
      });
      t.after(() => client.close());
      const failure = await failureOf(client.batchPersona(body, expected));
      assert.doesNotMatch(inspect(failure, { depth: 20, showHidden: true }), /secret_12/);
    }
  });
});
