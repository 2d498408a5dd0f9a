import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { random } from '../../../fixtures/random.ts';
import { AdaptiveRate } from '../../../src/client/pacing/adaptive-rate.ts';

const LATENCY_MS = 50;

interface Simulated {
  /** Requests accepted and throttled in each second. */
  accepted: number[];
  throttled: number[];
}

/** Simulates requests at the learned rate to a service that accepts `limit` per second. */
function simulate(
  limit: (second: number) => number,
  seconds: number,
  burst: number,
  isThrottledAnyway = (): boolean => false,
): Simulated {
  const rate = new AdaptiveRate(0);
  const pending: { at: number; sentAt: number; isAccepted: boolean }[] = [];
  const accepted = Array.from({ length: seconds }, () => 0);
  const throttled = accepted.slice();
  let tokens = burst;
  let next = 0;
  for (let now = 0; now < seconds * 1000; now++) {
    const second = Math.floor(now / 1000);
    tokens = Math.min(burst, tokens + limit(second) / 1000);
    for (; (pending[0]?.at ?? Infinity) <= now; pending.shift()) {
      const { isAccepted, sentAt } = pending[0] ?? { isAccepted: false, sentAt: now };
      if (isAccepted) rate.accepted(sentAt, now);
      else rate.throttled(sentAt, now);
    }
    // Sixteen requests at once, as far as the rate allows.
    for (; next <= now && pending.length < 16; next = Math.max(next, now - 20) + 1000 / rate.at(now)) {
      const isAccepted = tokens >= 1 && !isThrottledAnyway();
      if (isAccepted) tokens--;
      (isAccepted ? accepted : throttled)[second] = Number((isAccepted ? accepted : throttled)[second]) + 1;
      pending.push({ at: now + LATENCY_MS, sentAt: now, isAccepted });
    }
  }
  return { accepted, throttled };
}

const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);

describe('a learned rate', () => {
  it('is unlimited until a request is throttled after another one was accepted', () => {
    const rate = new AdaptiveRate(0);
    rate.accepted(0, 10);
    assert.equal(rate.at(1e9), Number.POSITIVE_INFINITY);
    const other = new AdaptiveRate(0);
    other.throttled(0, 10);
    assert.equal(other.at(20), Number.POSITIVE_INFINITY);
  });

  it('drops below the accepted rate after a 429, returns to it in twelve seconds, and then exceeds it', () => {
    const rate = new AdaptiveRate(0);
    for (let call = 0; call < 50; call++) rate.accepted(call * 20, call * 20);
    rate.throttled(900, 1000);
    const near = (value: number, wanted: number): void =>
      assert.ok(Math.abs(value - wanted) < 0.02 * wanted, `${value} is not ${wanted}`);
    near(rate.at(1000), 45);
    near(rate.at(13_000), 50);
    near(rate.at(25_000), 55);
    assert.ok(rate.at(37_000) > 500);
  });

  it('decreases once for all requests that were sent at the same rate', () => {
    const rate = new AdaptiveRate(0);
    for (let call = 0; call < 50; call++) rate.accepted(call * 20, call * 20);
    rate.throttled(900, 1000);
    const lowered = rate.at(1010);
    rate.throttled(910, 1010);
    rate.throttled(999, 1010);
    assert.equal(rate.at(1010), lowered);
  });

  it('ignores idle time', () => {
    const rate = new AdaptiveRate(0);
    for (let call = 0; call < 100; call++) rate.accepted(call * 10, call * 10);
    rate.throttled(990, 1000);
    rate.ignoreIdle(4000); // Retry-After: 4
    for (let call = 0; call < 45; call++) rate.accepted(5000 + call * 10, 5000 + call * 10);
    rate.throttled(5400, 5450);
    assert.ok(rate.at(5451) > 80, String(rate.at(5451)));
  });

  for (const limit of [5, 20, 200])
    for (const burst of [1, limit])
      it(`uses 85% of a limit of ${limit}/s with bursts of ${burst}, and at most 5% of the requests are throttled`, () => {
        const { accepted, throttled } = simulate(() => limit, 150, burst);
        const all = sumOf(accepted.slice(30));
        assert.ok(all >= 0.85 * limit * 120, `${all} of ${limit * 120}`);
        const wasted = sumOf(throttled.slice(30));
        assert.ok(wasted <= 0.05 * (all + wasted), `${wasted} were throttled, ${all} accepted`);
      });

  it('follows a decreasing limit, and finds a tenfold higher one within a minute', () => {
    const { accepted, throttled } = simulate(second => (second < 60 ? 100 : second < 120 ? 10 : 100), 240, 1);
    const wasted = sumOf(throttled.slice(65, 120));
    assert.ok(sumOf(accepted.slice(65, 120)) >= 0.8 * 550);
    assert.ok(wasted <= 0.06 * 550, String(wasted));
    assert.ok(sumOf(accepted.slice(180)) >= 0.85 * 6000, String(sumOf(accepted.slice(180))));
  });

  for (const [share, limit] of [
    [0.02, 1000],
    [0.08, 1000],
    [0.15, 1000],
    [0.3, 1000],
    [0.35, 1000],
    [0.4, 1000],
    [0.05, 100],
  ] as const)
    it(`is not decreased for good by a service that throttles ${share * 100}% of the requests at any rate up to ${limit}/s`, () => {
      const { unit } = random(7);
      const { accepted } = simulate(
        () => limit,
        240,
        limit,
        () => unit() < share,
      );
      // Sixteen requests at once of 50 ms each are at most 320 per second.
      const all = sumOf(accepted.slice(60)) / 180;
      assert.ok(all >= 0.75 * (1 - share) * Math.min(320, limit), `${all} a second`);
      const first = sumOf(accepted.slice(0, 60)) / 60;
      assert.ok(first >= 0.4 * (1 - share) * Math.min(320, limit), `${first} a second in the first minute`);
    });

  it('follows the limit of a service that also throttles at random', () => {
    const { unit } = random(7);
    const { accepted, throttled } = simulate(
      second => (second < 60 ? 1000 : 50),
      240,
      10,
      () => unit() < 0.3,
    );
    assert.ok(sumOf(accepted.slice(70)) >= 0.6 * 50 * 170, `${sumOf(accepted.slice(70))} were accepted`);
    // Random throttling rejects three requests for every seven that are accepted.
    const wasted = sumOf(throttled.slice(70)) - (3 / 7) * sumOf(accepted.slice(70));
    assert.ok(wasted <= 0.25 * sumOf(accepted.slice(70)), `${wasted} were throttled for their rate`);
  });
});
