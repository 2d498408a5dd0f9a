import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdaptiveConcurrency } from '../../../src/client/pacing/adaptive-concurrency.ts';

interface Call {
  sentAt: number;
  endsAt: number;
}

/**
 * Calls by as many as may run at once, in simulated time; each takes as long as `latency` says for the number of
 * calls under way when it begins.
 *
 * @param held most calls that something else lets run
 * @returns how many might run at once, each second
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

/** At its best with six calls at once. */
const thrashing = (atOnce: number): number => 50 * (1 + (atOnce / 6) ** 2);

describe('how many calls run at once', () => {
  for (const ms of [2, 50, 500, 5000])
    it(`is nearly always the most that is allowed, where each takes ${ms} ms however many there are`, () => {
      const currents = simulate(new AdaptiveConcurrency(16), 600, () => ms);
      assert.equal(currents[0], 16);
      assert.ok(mean(currents.slice(30)) > 0.97 * 16, String(mean(currents.slice(30))));
    });

  it('is lowered to where a service that gets slower with load is at its best', () => {
    const currents = simulate(new AdaptiveConcurrency(16), 120, thrashing).slice(30);
    const throughput = mean(currents.map(atOnce => atOnce / thrashing(atOnce)));
    assert.ok(throughput > 0.95 * (6 / thrashing(6)), currents.join(' '));
  });

  it('is raised again when the service gets better', () => {
    const currents = simulate(new AdaptiveConcurrency(16), 180, (atOnce, second) =>
      second < 60 ? thrashing(atOnce) : 50,
    );
    assert.ok(Number(currents[59]) <= 9, currents.join(' '));
    assert.ok(mean(currents.slice(120)) > 0.9 * 16, currents.join(' '));
  });

  it('does not fall for latencies that scatter', () => {
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

  it('is not learned where something else holds the calls back', () => {
    const currents = simulate(new AdaptiveConcurrency(16), 60, thrashing, 8);
    assert.deepEqual(new Set(currents), new Set([16]));
  });

  it('is one more for a call that is stuck, so that as many others go on', () => {
    let isStuck = false;
    const currents = simulate(new AdaptiveConcurrency(8), 120, (atOnce, second) => {
      if (isStuck || second < 60) return 10 * atOnce ** 3;
      isStuck = true;
      return 1e9;
    });
    assert.equal(Math.min(...currents.slice(40, 60)), 2);
    assert.equal(Math.min(...currents.slice(70)), 3);
  });

  it('stays between two and the most that is allowed', () => {
    const worse = simulate(new AdaptiveConcurrency(6), 60, atOnce => 10 * atOnce ** 3);
    assert.ok(Math.min(...worse) === 2 && Math.max(...worse) === 6);
    assert.deepEqual(
      new Set(simulate(new AdaptiveConcurrency(2), 60, atOnce => 10 * atOnce ** 3)),
      new Set([2]),
    );
    assert.deepEqual(new Set(simulate(new AdaptiveConcurrency(1), 60, () => 50)), new Set([1]));
  });
});
