import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Pacer, type PacerOptions } from '../../../src/client/pacing/pacer.ts';
import { connect } from '../../support/stub/connect.ts';
import { send } from '../../support/stub/service.ts';

const { signal } = new AbortController();
const newPace = (options: Partial<PacerOptions> = {}): Pacer =>
  new Pacer({ concurrency: 16, maxOutage: 60, ...options });

/** Milliseconds until so many turns were had, of so many rows each. */
async function timeOf(pace: Pacer, turns: number, rows: number): Promise<number> {
  const begun = performance.now();
  const had = await Promise.all(Array.from({ length: turns }, () => pace.acquire(rows, signal)));
  for (const turn of had) turn.release(true);
  return performance.now() - begun;
}

describe('a turn', { concurrency: true }, () => {
  it('is had no sooner than the most calls a second that were asked for allow', async () => {
    const took = await timeOf(newPace({ maxRequests: 50 }), 26, 1);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('is had no sooner than the most rows a second that were asked for allow', async () => {
    const took = await timeOf(newPace({ maxRows: 50_000 }), 26, 1000);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('is had when a pause is over, by all who ask', async () => {
    const pace = newPace();
    pace.pause(300);
    pace.pause(100); // another call was told less
    const took = await timeOf(pace, 3, 1);
    assert.ok(took >= 295, `${took} ms`);
  });

  it('is had in the order in which it was asked for', async () => {
    const pace = newPace({ maxRequests: 200 });
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 9 }, (_, at) => pace.acquire(1, signal).then(() => order.push(at))),
    );
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('that nobody waits for any more is not had, and does not keep the next one waiting', async () => {
    const pace = newPace({ maxRequests: 5 });
    await pace.acquire(1, signal);
    const gone = new AbortController();
    const given = assert.rejects(pace.acquire(1, gone.signal), { name: 'AbortError' });
    const next = pace.acquire(1, signal);
    gone.abort();
    await given;
    await next;
  });

  it('is not had by who has gone meanwhile, though there is nothing to wait for any more', async () => {
    const pace = newPace();
    pace.pause(100);
    const first = pace.acquire(1, signal);
    const gone = new AbortController();
    const second = assert.rejects(pace.acquire(1, gone.signal), { name: 'AbortError' });
    gone.abort();
    await first;
    await second;
  });

  it('is not had later because the service refused the first personas, though it told of a report before', async () => {
    const pace = newPace();
    const report = await pace.acquire(0, signal);
    report.onHeaders(200, {});
    report.release(true);
    await delay(300);
    const first = await pace.acquire(1, signal);
    first.onHeaders(429, {});
    first.release(false);
    const soon = AbortSignal.timeout(5000);
    for (let turns = 0; turns < 26; turns++) (await pace.acquire(1, soon)).release(true);
  });

  it('is not had later because no call was made for a while before one was refused', async () => {
    const pace = newPace();
    const first = await pace.acquire(1, signal);
    first.onHeaders(200, {});
    first.release(true);
    await delay(3000);
    const burst = await Promise.all(Array.from({ length: 11 }, () => pace.acquire(1, signal)));
    for (const [at, turn] of burst.entries()) {
      turn.onHeaders(at < 10 ? 200 : 429, {});
      turn.release(at < 10);
    }
    const soon = AbortSignal.timeout(3000);
    for (let turns = 0; turns < 26; turns++) (await pace.acquire(1, soon)).release(true);
  });

  it('is not had while nothing is left of a quota, until it starts anew or the patience is over', async () => {
    const pace = newPace({ maxOutage: 0.4 });
    const first = await pace.acquire(1, signal);
    first.onHeaders(200, { ratelimit: '"default";r=0;t=59', 'ratelimit-policy': '"default";q=9;w=60' });
    first.release(true);
    const took = await timeOf(pace, 1, 1);
    assert.ok(took >= 395, `${took} ms`);
  });

  it('is had at the rate that a quota leaves', async () => {
    const pace = newPace();
    const first = await pace.acquire(1, signal);
    first.onHeaders(200, { 'ratelimit-limit': '50', 'ratelimit-remaining': '49', 'ratelimit-reset': '1' });
    first.release(true);
    const took = await timeOf(pace, 26, 1);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });
});

describe('a client', { concurrency: true }, () => {
  it('leaves the service alone for as long as it asks one call to', async t => {
    const arrivals: number[] = [];
    const { client } = await connect(t, {
      concurrency: 4,
      maxOutage: 30,
      first(_, response) {
        arrivals.push(performance.now());
        if (arrivals.length > 1) return false;
        send(response, 429, {}, { 'retry-after': '1' });
        return true;
      },
    });
    const refused = client.report('r');
    while (arrivals.length === 0) await delay(10);
    await delay(100); // the refusal has come
    await Promise.all([refused, client.report('r'), client.report('r')]);
    const [first = 0, second = 0] = arrivals;
    assert.ok(second - first >= 990, `the next call came after ${second - first} ms`);
  });

  it('calls no faster than it was told to', async t => {
    const { client } = await connect(t, { concurrency: 8, maxRequestsPerSecond: 40 });
    const begun = performance.now();
    await Promise.all(Array.from({ length: 21 }, () => client.report('r')));
    assert.ok(performance.now() - begun >= 470);
  });
});
