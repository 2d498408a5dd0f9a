import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { alone, type Learned } from '../../../src/base/contract/shared-pace.ts';
import { Pacer, type PacerOptions } from '../../../src/client/pacing/pacer.ts';
import { connect } from '../../support/stub/connect.ts';
import { send } from '../../support/stub/service.ts';

const { signal } = new AbortController();
const newPacer = (options: Partial<PacerOptions> = {}): Pacer =>
  new Pacer({ concurrency: 16, maxOutage: 60, ...options });

/** Headers of a service that takes 50 requests a second. */
const quotaOf50 = { 'ratelimit-limit': '50', 'ratelimit-remaining': '49', 'ratelimit-reset': '1' };

/** A request that is answered at once. */
async function answered(pacer: Pacer, status: number, headers = {}, rows = 1): Promise<void> {
  const slot = await pacer.acquire(rows, signal);
  slot.onHeaders(status, headers);
  slot.release(status === 200);
}

/** Milliseconds until this many slots were acquired, for this many rows each. */
async function timeOf(pacer: Pacer, slots: number, rows: number): Promise<number> {
  const begun = performance.now();
  const acquired = await Promise.all(Array.from({ length: slots }, () => pacer.acquire(rows, signal)));
  for (const slot of acquired) slot.release(true);
  return performance.now() - begun;
}

describe('a slot', { concurrency: true }, () => {
  it('is granted no faster than the configured requests per second', async () => {
    const took = await timeOf(newPacer({ maxRequests: 50 }), 26, 1);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('is granted no faster than the configured rows per second', async () => {
    const took = await timeOf(newPacer({ maxRows: 50_000 }), 26, 1000);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('is granted to all waiters at the end of a pause', async () => {
    const pacer = newPacer();
    pacer.pause(300);
    pacer.pause(100); // a shorter pause does not replace a longer one
    const took = await timeOf(pacer, 3, 1);
    assert.ok(took >= 295, `${took} ms`);
  });

  it('is granted in the order of requests', async () => {
    const pacer = newPacer({ maxRequests: 200 });
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 9 }, (_, at) => pacer.acquire(1, signal).then(() => order.push(at))),
    );
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is not granted to an aborted waiter, which does not delay the next one', async () => {
    const pacer = newPacer({ maxRequests: 5 });
    await pacer.acquire(1, signal);
    const abandoned = new AbortController();
    const aborted = assert.rejects(pacer.acquire(1, abandoned.signal), { name: 'AbortError' });
    const next = pacer.acquire(1, signal);
    abandoned.abort();
    await aborted;
    await next;
  });

  it('is not granted to a waiter that was aborted during a pause', async () => {
    const pacer = newPacer();
    pacer.pause(100);
    const first = pacer.acquire(1, signal);
    const abandoned = new AbortController();
    const second = assert.rejects(pacer.acquire(1, abandoned.signal), { name: 'AbortError' });
    abandoned.abort();
    await first;
    await second;
  });

  it('is not delayed if the first batch is throttled after the report was accepted', async () => {
    const pacer = newPacer();
    await answered(pacer, 200, {}, 0);
    await delay(300);
    await answered(pacer, 429);
    const soon = AbortSignal.timeout(5000);
    for (let count = 0; count < 26; count++) (await pacer.acquire(1, soon)).release(true);
  });

  it('is not granted while a quota is exhausted, until it is reset or the maximum outage has passed', async () => {
    const pacer = newPacer({ maxOutage: 0.4 });
    await answered(pacer, 200, { ratelimit: '"default";r=0;t=59', 'ratelimit-policy': '"default";q=9;w=60' });
    const took = await timeOf(pacer, 1, 1);
    assert.ok(took >= 395, `${took} ms`);
  });

  it('is granted at the rate that a quota allows', async () => {
    const pacer = newPacer();
    await answered(pacer, 200, quotaOf50);
    const took = await timeOf(pacer, 26, 1);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });
});

describe('a slot after idle time', () => {
  it('is not delayed by that before a 429', async t => {
    const now = performance.now.bind(performance);
    let later = 0;
    t.mock.method(performance, 'now', () => now() + later);
    const pacer = newPacer();
    await answered(pacer, 200);
    later += 3000;
    const burst = await Promise.all(Array.from({ length: 11 }, () => pacer.acquire(1, signal)));
    for (const [at, slot] of burst.entries()) {
      slot.onHeaders(at < 10 ? 200 : 429, {});
      slot.release(at < 10);
    }
    const soon = AbortSignal.timeout(3000);
    for (let count = 0; count < 26; count++) (await pacer.acquire(1, soon)).release(true);
  });
});

describe('a pace that is shared', { concurrency: true }, () => {
  it('gives a process its part of all limits', async () => {
    const shared = { limits: () => ({ ...alone, share: 0.25, requests: 200 }), tell() {} };
    const took = await timeOf(newPacer({ maxRequests: 400, shared }), 26, 1);
    assert.ok(took >= 470, `25 intervals of 20 ms took ${took} ms`);
  });

  it('lets nothing through while a process has no share, or another one was asked to pause', async () => {
    const begun = performance.now();
    const limits = (now: number) => ({
      ...alone,
      share: now < begun + 300 ? 0 : 1,
      pausedUntil: begun + 600,
    });
    await timeOf(newPacer({ shared: { limits, tell() {} } }), 3, 1);
    assert.ok(performance.now() - begun >= 595);
  });

  it('tells what the service has made known', async () => {
    let learned: ((now: number) => Learned) | undefined;
    const pacer = newPacer({
      shared: {
        limits: () => ({ ...alone, share: 0.5 }),
        tell(read) {
          learned = read;
        },
      },
    });
    await answered(pacer, 200, quotaOf50);
    for (let call = 0; call < 10; call++) await answered(pacer, call < 9 ? 200 : 429);
    pacer.pause(5_000);
    const told = learned?.(performance.now());
    assert.deepEqual(told?.advertised, { rate: 49, seconds: null });
    assert.ok((told?.pause ?? 0) > 4_000);
    assert.ok((told?.accepted ?? 0) > 0);
    // Of both processes together.
    assert.ok((told?.rate?.limit ?? 0) > 1.5 * (told?.accepted ?? 0), JSON.stringify(told));
  });
});

describe('a client', { concurrency: true }, () => {
  it('sends no requests at all while one request has to wait', async t => {
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
    const refused = client.describe('r');
    while (arrivals.length === 0) await delay(10);
    await delay(100); // the 429 has arrived
    await Promise.all([refused, client.describe('r'), client.describe('r')]);
    const [first = 0, second = 0] = arrivals;
    assert.ok(second - first >= 990, `the next request came after ${second - first} ms`);
  });

  it('sends requests no faster than configured', async t => {
    const { client } = await connect(t, { concurrency: 8, maxRequestsPerSecond: 40 });
    const begun = performance.now();
    await Promise.all(Array.from({ length: 21 }, () => client.describe('r')));
    assert.ok(performance.now() - begun >= 470);
  });
});
