import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdaptiveConcurrency } from '../../../src/client/pacing/adaptive-concurrency.ts';
import { isFull } from '../../support/random-tests.ts';

interface Call {
  sentAt: number;
  endsAt: number;
}

/**
 * Simulates requests at the current concurrency; each takes as long as `latency` returns for the number of requests
 * in flight when it starts.
 *
 * @param held limit on concurrent requests that has another cause
 * @returns the concurrency in each second
 */
function simulate(
  concurrency: AdaptiveConcurrency,
  seconds: number,
  latency: (atOnce: number, second: number) => number,
  held = Number.POSITIVE_INFINITY,
): number[] {
  const currents: number[] = [];
  let calls: Call[] = [];
  for (let now = 0; now < seconds * 1000; now++) {
    for (const call of calls.filter(({ endsAt }) => endsAt <= now)) {
      concurrency.ended(call, now, true);
      calls = calls.filter(other => other !== call);
      while (calls.length < Math.min(held, concurrency.current)) calls.push(begin(now));
    }
    while (calls.length < Math.min(held, concurrency.current)) calls.push(begin(now));
    if (now % 1000 === 0) currents.push(concurrency.current);
  }
  return currents;

  function begin(now: number): Call {
    const call = { sentAt: now, endsAt: now + Math.max(1, latency(calls.length + 1, now / 1000)) };
    concurrency.begun(call);
    return call;
  }
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Has its highest throughput with six requests at once. */
const thrashing = (atOnce: number): number => 50 * (1 + (atOnce / 6) ** 2);

describe('the concurrency', () => {
  for (const ms of isFull ? [2, 50, 500, 5000] : [50])
    it(`is nearly always at its maximum if each request takes ${ms} ms at any load`, () => {
      const currents = simulate(new AdaptiveConcurrency(16), 600, () => ms);
      assert.equal(currents[0], 16);
      assert.ok(mean(currents.slice(30)) > 0.97 * 16, String(mean(currents.slice(30))));
    });

  it('decreases to the optimum of a service that slows down under load', () => {
    const currents = simulate(new AdaptiveConcurrency(16), 120, thrashing).slice(30);
    const throughput = mean(currents.map(atOnce => atOnce / thrashing(atOnce)));
    assert.ok(throughput > 0.95 * (6 / thrashing(6)), currents.join(' '));
  });

  it('increases again when the service gets faster', () => {
    const currents = simulate(new AdaptiveConcurrency(16), 180, (atOnce, second) =>
      second < 60 ? thrashing(atOnce) : 50,
    );
    assert.ok(Number(currents[59]) <= 9, currents.join(' '));
    assert.ok(mean(currents.slice(120)) > 0.9 * 16, currents.join(' '));
  });

  it('is not misled by scattered latencies', () => {
    let seed = 1;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const currents = simulate(new AdaptiveConcurrency(16), 600, () =>
      random() < 0.01 ? 1000 : 30 + 40 * random(),
    );
    assert.ok(mean(currents.slice(30)) > 0.95 * 16, String(mean(currents.slice(30))));
  });

  it('does not change if something else limits the requests', () => {
    const currents = simulate(new AdaptiveConcurrency(16), 60, thrashing, 8);
    assert.deepEqual(new Set(currents), new Set([16]));
  });

  it('is one higher for each stuck request, so that the same number of others can run', () => {
    let isStuck = false;
    const currents = simulate(new AdaptiveConcurrency(8), 120, (atOnce, second) => {
      if (isStuck || second < 60) return 10 * atOnce ** 3;
      isStuck = true;
      return 1e9;
    });
    assert.equal(Math.min(...currents.slice(40, 60)), 2);
    assert.equal(Math.min(...currents.slice(70)), 3);
  });

  it('stays between two and its maximum', () => {
    const worse = simulate(new AdaptiveConcurrency(6), 60, atOnce => 10 * atOnce ** 3);
    assert.ok(Math.min(...worse) === 2 && Math.max(...worse) === 6);
    assert.deepEqual(
      new Set(simulate(new AdaptiveConcurrency(2), 60, atOnce => 10 * atOnce ** 3)),
      new Set([2]),
    );
    assert.deepEqual(new Set(simulate(new AdaptiveConcurrency(1), 60, () => 50)), new Set([1]));
  });
});
