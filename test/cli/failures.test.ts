import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { key, marked } from '../support/secrets.ts';
import { type StubCall, type StubOptions, send, startStub } from '../support/stub/service.ts';

const ROWS = 200;
const planOf = (row: number): string => `${marked}-${row}`;

/** Every value contains the marker; some rows are malformed, each in a different way. */
function input(): Buffer {
  const malformed: Record<number, string | Buffer> = {
    20: `20,${planOf(20)}`,
    21: `21,${planOf(21)},1,1`,
    22: `22,"${planOf(22)}"x,1`,
    23: Buffer.concat([Buffer.from(`23,${planOf(23)}`), Buffer.of(0xff), Buffer.from(',1')]),
  };
  const records = Array.from({ length: ROWS }, (_, row) => malformed[row] ?? `${row},${planOf(row)},1`);
  return Buffer.concat(['id,plan,n', ...records].flatMap(record => [Buffer.from(record), Buffer.from('\n')]));
}

const idsOf = ({ body }: StubCall): number[] => body.personas.map(({ features }) => Number(features.id));

/** Temporary failures: a service has each of them once, and the retry succeeds. */
const mended: ((call: StubCall) => void)[] = [
  ({ response }) => send(response, 503, { code: 'busy', detail: 'busy' }, { 'retry-after': '0' }),
  ({ response }) => void response.writeHead(502).end('<h1>Bad Gateway</h1>'),
  ({ response }) => send(response, 429, {}),
  ({ response }) => send(response, 500, { code: 'broken' }),
  ({ request, response }) =>
    void response.writeHead(200, { 'content-length': 9 }).write('[', () => request.socket.destroy()),
  ({ response }) => void response.writeHead(200).end('<html>'),
  ({ response }) => send(response, 200, { predictions: [] }),
  () => {}, // no response before the timeout
];

/**
 * Each hits a different batch: if one batch failed repeatedly, it would be halved, or its probes would get the failures
 * that this test counts.
 */
function failsOnce(): (call: StubCall) => boolean {
  const failing = new Map(mended.map((fail, index) => [80 + 12 * index, fail]));
  return call => {
    const id = idsOf(call).find(id => failing.has(id));
    const fail = id === undefined ? undefined : failing.get(id);
    if (id === undefined || fail === undefined) return false;
    failing.delete(id);
    fail(call);
    return true;
  };
}

/** Of these rows, the service rejects one, returns no probabilities for another, and invalid ones for a third. */
function refuse(call: StubCall): boolean {
  const ids = idsOf(call);
  if (ids.includes(50)) {
    send(call.response, 422, { code: 'not_a_persona', detail: 'no such plan' });
    return true;
  }
  const predictions = call.defaultResponse.predictions.map((prediction, index) => {
    if (ids[index] === 60) return { error: { code: 'unknown_level', message: `for ApiKey ${key}` } };
    return ids[index] === 61 ? { probabilities: { no: 0.9, yes: 0.9 } } : prediction;
  });
  send(call.response, 200, { predictions });
  return true;
}

/** A service, and commands that score the input with it. */
async function bench(t: TestContext, options: StubOptions) {
  const { url } = await startStub(t, options);
  const commands = await commandsIn(t, { 'in.csv': input() }, { ROWCAST_API_KEY: key, ROWCAST_URL: url });
  const line = 'score in.csv --report r --batch-rows 10 --concurrency 2';
  return { ...commands, score: (more = '') => commands.run(`${line} ${more}`) };
}

describe('whatever fails, persona values appear only in the output and the rejects, and the key nowhere', {
  concurrency: 2,
}, () => {
  for (const format of ['text', 'json'])
    it(`failures of every kind that a run survives, reported as ${format}`, async t => {
      const fails = failsOnce();
      const { score, read, jsonIn } = await bench(t, {
        report: { classes: ['no', 'yes'] },
        behave: call => fails(call) || refuse(call),
      });
      // One request gets no response; all others must have the time that they need on a busy machine.
      const more = `-o out.csv --summary summary.json --log-format ${format} --timeout 2`;
      // The files that a run leaves behind are searched when it has ended: see test/support/secrets.ts.
      const { stderr } = await exits(score(more), 1);
      const { rows, retries } = await jsonIn('summary.json');
      assert.deepEqual(rows.rejected_by, {
        too_few_fields: 1,
        too_many_fields: 1,
        bad_quoting: 1,
        not_utf8: 1,
        not_a_persona: 1,
        unknown_level: 1,
        wrong_probabilities: 1,
      });
      assert.deepEqual(Object.keys(retries).sort(), [
        'broken',
        'busy',
        'connection_broken',
        'http_429',
        'http_502',
        'service_timeout',
        'wrong_answer',
      ]);
      assert.match(stderr, /; will keep trying for up to .* \(--max-outage\)/);
      const rejects = await read('out.csv.rejects');
      for (const row of [20, 21, 22, 23, 50, 60, 61]) assert.ok(rejects.includes(planOf(row)), String(row));
      assert.ok((await read('out.csv')).includes(planOf(199)));
    });

  it('rejects are reported on stderr without their values', async t => {
    const { score } = await bench(t, { behave: refuse });
    const { stderr } = await exits(score(), 1);
    assert.equal(stderr.match(/^rowcast: in\.csv:\d+: row rejected: /gm)?.length, 7);
  });

  const ends: {
    what: string;
    behave: (call: StubCall) => void;
    says: RegExp;
    more?: string;
    exit?: number;
  }[] = [
    {
      what: 'an unavailable service',
      behave: ({ response }) => send(response, 503, { detail: 'away' }),
      says: /responded with 503: away \[http_503\]/,
      more: '--max-outage 0',
      exit: 75,
    },
    {
      what: 'a key that was revoked, and that the service repeats',
      behave: ({ response, request }) => send(response, 401, { detail: request.headers.authorization }),
      says: /responded with 401 \[http_401\]/,
    },
    {
      what: 'invalid responses',
      behave: ({ response, request }) => void response.end(`<p>${request.headers.authorization}</p>`),
      says: /it contains the API key or another secret, so it is not shown \[wrong_answer\]/,
    },
    {
      what: 'different classes',
      behave: ({ response, body }) =>
        send(response, 200, { predictions: body.personas.map(() => ({ probabilities: { other: 1 } })) }),
      says: /has the classes other, expected no, yes \[wrong_answer\]/,
    },
    {
      what: 'too many rejects',
      behave: call => void refuse(call),
      says: /\[too_many_rejects\]/,
      more: '--max-rejects 2',
    },
  ];
  for (const { what, behave, says, more = '', exit = 3 } of ends)
    it(`a run that is stopped by ${what}`, async t => {
      const { score, read } = await bench(t, {
        report: { classes: ['no', 'yes'] },
        behave(call) {
          if (call.number <= 2) return false;
          behave(call);
          return true;
        },
      });
      await exits(score(`-o out.csv ${more}`), exit, says);
      // There was a checkpoint to search.
      assert.ok((await read('out.csv.checkpoint')).includes('"position"'));
    });
});
