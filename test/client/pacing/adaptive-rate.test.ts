import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { random } from '../../../fixtures/random.ts';
import { AdaptiveRate } from '../../../src/client/pacing/adaptive-rate.ts';

const LATENCY_MS = 50;

interface Simulated {
  /** Calls taken and refused, each second. */
  taken: number[];
  refused: number[];
}

/** Calls at the learned rate, to a service that takes so many a second, in simulated time. */
function simulate(
  limit: (second: number) => number,
  seconds: number,
  burst: number,
  isRefusedAnyhow = (): boolean => false,
): Simulated {
  const rate = new AdaptiveRate(0);
  const answers: { at: number; sentAt: number; isTaken: boolean }[] = [];
  const taken = Array.from({ length: seconds }, () => 0);
  const refused = taken.slice();
  let tokens = burst;
  let next = 0;
  for (let now = 0; now < seconds * 1000; now++) {
    const second = Math.floor(now / 1000);
    tokens = Math.min(burst, tokens + limit(second) / 1000);
    for (; (answers[0]?.at ?? Infinity) <= now; answers.shift()) {
      const { isTaken, sentAt } = answers[0] ?? { isTaken: false, sentAt: now };
      if (isTaken) rate.accepted(sentAt, now);
      else rate.throttled(sentAt, now);
    }
    // Sixteen at once, as far as the rate lets them.
    for (; next <= now && answers.length < 16; next = Math.max(next, now - 20) + 1000 / rate.at(now)) {
      const isTaken = tokens >= 1 && !isRefusedAnyhow();
      if (isTaken) tokens--;
      (isTaken ? taken : refused)[second] = Number((isTaken ? taken : refused)[second]) + 1;
      answers.push({ at: now + LATENCY_MS, sentAt: now, isTaken });
    }
  }
  return { taken, refused };
}

const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);

describe('a rate that is learned', () => {
  it('has no limit until a call is refused, and none that is refused before any is taken gives it one', () => {
    const rate = new AdaptiveRate(0);
    rate.accepted(0, 10);
    assert.equal(rate.at(1e9), Number.POSITIVE_INFINITY);
    const other = new AdaptiveRate(0);
    other.throttled(0, 10);
    assert.equal(other.at(20), Number.POSITIVE_INFINITY);
  });

  it('is below what was taken after a refusal, comes back to it in twelve seconds, and then goes beyond', () => {
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

  it('is lowered once for all calls that were sent at the same rate', () => {
    const rate = new AdaptiveRate(0);
    for (let call = 0; call < 50; call++) rate.accepted(call * 20, call * 20);
    rate.throttled(900, 1000);
    const lowered = rate.at(1010);
    rate.throttled(910, 1010);
    rate.throttled(999, 1010);
    assert.equal(rate.at(1010), lowered);
  });

  it('is not learned from a pause', () => {
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
      it(`takes 85 of 100 calls that a service of ${limit}/s has to give, bursts of ${burst}, and wastes at most 5`, () => {
        const { taken, refused } = simulate(() => limit, 150, burst);
        const all = sumOf(taken.slice(30));
        assert.ok(all >= 0.85 * limit * 120, `${all} of ${limit * 120}`);
        const wasted = sumOf(refused.slice(30));
        assert.ok(wasted <= 0.05 * (all + wasted), `${wasted} were refused, ${all} taken`);
      });

  it('follows a limit that falls, and finds one that has risen tenfold within a minute', () => {
    const { taken, refused } = simulate(second => (second < 60 ? 100 : second < 120 ? 10 : 100), 240, 1);
    const wasted = sumOf(refused.slice(65, 120));
    assert.ok(sumOf(taken.slice(65, 120)) >= 0.8 * 550);
    assert.ok(wasted <= 0.06 * 550, String(wasted));
    assert.ok(sumOf(taken.slice(180)) >= 0.85 * 6000, String(sumOf(taken.slice(180))));
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
    it(`is not lowered for good by a service that refuses ${share * 100} of 100 calls whatever the rate, up to ${limit}/s`, () => {
      const { unit } = random(7);
      const { taken } = simulate(
        () => limit,
        240,
        limit,
        () => unit() < share,
      );
      // Sixteen at once of 50 ms each are 320 a second at most.
      const all = sumOf(taken.slice(60)) / 180;
      assert.ok(all >= 0.75 * (1 - share) * Math.min(320, limit), `${all} a second`);
      const first = sumOf(taken.slice(0, 60)) / 60;
      assert.ok(first >= 0.4 * (1 - share) * Math.min(320, limit), `${first} a second in the first minute`);
    });

  it('is kept to again when a service that refuses calls at random has a limit too', () => {
    const { unit } = random(7);
    const { taken, refused } = simulate(
      second => (second < 60 ? 1000 : 50),
      240,
      10,
      () => unit() < 0.3,
    );
    assert.ok(sumOf(taken.slice(70)) >= 0.6 * 50 * 170, `${sumOf(taken.slice(70))} were taken`);
    // Those at random are three of seven of the ones that are taken.
    const wasted = sumOf(refused.slice(70)) - (3 / 7) * sumOf(taken.slice(70));
    assert.ok(wasted <= 0.25 * sumOf(taken.slice(70)), `${wasted} were refused for their rate`);
  });
});
