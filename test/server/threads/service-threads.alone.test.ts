import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { pino } from 'pino';
import { runs } from '../../support/random-tests.ts';
import { get, post, problemOf, type Target } from '../../support/service/client.ts';
import { persona, serving } from '../../support/service/serving.ts';
import { upload } from '../../support/service/upload.ts';
import { slow } from '../../support/slow.ts';

/** Larger than what the main thread scores itself. */
const LARGE = 17 * 1024;

/** The threads that are started during a test. */
function startedThreads(t: TestContext): Worker[] {
  const started: Worker[] = [];
  const add = (worker: Worker): void => {
    started.push(worker);
  };
  process.on('worker', add);
  t.after(() => process.off('worker', add));
  return started;
}

const large = (body: string): string => body.padEnd(LARGE);
const batch = (count: number): string => JSON.stringify({ id: 'two', personas: Array(count).fill(persona) });

const value = fc.oneof(
  fc.constantFrom('Basic', 'Größe "L", 5G', 'プレミアム', ' ', '', null, true, 25.5, '25.50', {}, [1]),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.string({ unit: 'grapheme' }),
);
const features = fc.dictionary(fc.constantFrom('plan', 'monthly amount', '__proto__', 'other'), value);
const item = fc.oneof({ weight: 5, arbitrary: fc.record({ features }) }, { weight: 1, arbitrary: value });

test('a large request gets the bytes that a small one with the same content gets, even if it is malformed', async t => {
  const started = startedThreads(t);
  const target = await serving(t);
  const answerTo = async (path: string, body: string) => {
    const response = await post(target, path, body);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 20 }),
      fc.constantFrom('two', 'none', '../two'),
      fc.boolean(),
      fc.option(fc.tuple(fc.nat(), fc.constantFrom('', '}', '"', ',', '\u0000'), fc.nat(1)), { freq: 3 }),
      async (personas, id, isLast, change) => {
        const single = Object(personas[0]);
        for (const [path, content] of [
          ['/user/batch-persona', { personas }],
          ['/user/persona', { features: single.features ?? single }],
        ] as const) {
          const whole = JSON.stringify(isLast ? { ...content, id } : { id, ...content });
          const [index = 0, put = '', taken = 0] = change ?? [];
          const at = index % (whole.length + 1);
          const body = change === null ? whole : whole.slice(0, at) + put + whole.slice(at + taken);
          assert.deepEqual(await answerTo(path, large(body)), await answerTo(path, body));
        }
      },
    ),
    { numRuns: runs(500, 25) },
  );
  assert.ok(started.length > 0);
});

slow('an upload in large batches gets the rows that it gets in small ones', async t => {
  const started = startedThreads(t);
  const target = await serving(t);
  const cells = [
    'Basic',
    '"Größe ""L"", 5G"',
    '',
    ' ',
    '25.5',
    '"1,5"',
    '1e400',
    'x'.repeat(40),
    'プレミアム',
  ];
  const random = fc.sample(fc.array(fc.constantFrom(...cells), { minLength: 2, maxLength: 4 }), {
    numRuns: 3000,
    seed: Number(process.env.TEST_SEED ?? 1),
  });
  const rows = random.map((row, i) => `${row.join(',')}${i % 7 === 0 ? '\r\n' : '\n'}`);
  const header = 'plan,monthly amount,__proto__\n';
  const uploaded = async (part: readonly string[]) => {
    const { status, body } = await upload(target, header + part.join(''), { query: '?id=two' });
    assert.equal(status, 200);
    const text = String(body);
    return text.slice(text.indexOf('\n') + 1);
  };
  const parts: string[] = [];
  for (let from = 0; from < rows.length; from += 100)
    parts.push(await uploaded(rows.slice(from, from + 100)));
  assert.equal(started.length, 0, 'small batches need no thread');
  assert.equal(await uploaded(rows), parts.join(''));
  assert.ok(started.length > 0);
});

test('threads are started when there is work for them, and end with the service', async t => {
  const started = startedThreads(t);
  const ended: Promise<unknown>[] = [];
  await t.test('a service starts them one by one', async t => {
    const target = await serving(t, { threads: 2 });
    assert.equal((await post(target, '/user/persona', { id: 'two', ...persona })).status, 200);
    assert.equal((await post(target, '/user/batch-persona', batch(20))).status, 200);
    assert.equal(started.length, 0);
    assert.equal((await post(target, '/user/batch-persona', batch(2000))).status, 200);
    assert.equal(started.length, 1);
    await Promise.all(Array.from({ length: 6 }, () => post(target, '/user/batch-persona', batch(5000))));
    assert.equal(started.length, 2);
    for (const worker of started) ended.push(new Promise(resolve => worker.once('exit', resolve)));
  });
  await Promise.all(ended);
});

test('when a thread dies, its requests fail, which is logged, and the next ones get a new thread', async t => {
  const started = startedThreads(t);
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const target: Target = await serving(t, { log, threads: 1 });
  const most = batch(10_000);
  const pending = Array.from({ length: 4 }, () => post(target, '/user/batch-persona', most));
  while (started.length === 0) await new Promise(setImmediate);
  const [worker] = started;
  await worker?.terminate();
  // Those that arrived later have a new thread already.
  const failed = (await Promise.all(pending)).filter(({ status }) => status !== 200);
  assert.ok(failed.length > 0);
  for (const response of failed) assert.equal(await problemOf(response), '500 internal');
  assert.ok(lines.some(line => line.includes('thread') && line.includes('its requests have failed')));
  assert.equal((await post(target, '/user/batch-persona', batch(2000))).status, 200);
  assert.equal(started.length, 2);
});

test('large requests of a client that has gone are dropped, and others are answered', async t => {
  const target = await serving(t, { threads: 1, metrics: true });
  const { url, key } = target;
  const body = batch(10_000);
  const gone = Array.from({ length: 10 }, async () => {
    const signal = AbortSignal.timeout(30);
    const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
    await fetch(`${url}/user/batch-persona`, { method: 'POST', headers, body, signal });
  });
  await Promise.allSettled(gone);
  assert.equal((await post(target, '/user/batch-persona', batch(2000))).status, 200);
  const metrics = await (await get(target, '/metrics')).text();
  const scored = Number(/^rowcast_personas_scored_total (\d+)$/m.exec(metrics)?.[1]);
  assert.ok(scored >= 2000 && scored < 100_000, `${scored} personas were scored`);
});
