import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpiryClock } from '../../../src/server/auth/key-ring.ts';

/** Clocks that the test moves: both go on together, and the wall clock can be set. */
function movable() {
  let elapsed = 0;
  let start = 1_000_000_000;
  return {
    wall: () => start + elapsed,
    monotonic: () => elapsed,
    pass(ms: number) {
      elapsed += ms;
    },
    set(ms: number) {
      start += ms;
    },
  };
}

const HOUR = 3_600_000;

test('a clock that is set back does not bring back an expired key', () => {
  const clocks = movable();
  const clock = new ExpiryClock(clocks);
  const start = clock.now();
  clocks.pass(HOUR);
  clocks.set(-24 * HOUR);
  assert.equal(clock.now() - start, HOUR);
  clocks.pass(HOUR);
  assert.equal(clock.now() - start, 2 * HOUR);
});

test('a jump forward counts at once, and for good after half a minute', () => {
  const clocks = movable();
  const clock = new ExpiryClock(clocks);
  const start = clock.now();
  clocks.set(HOUR);
  assert.equal(clock.now() - start, HOUR);
  clocks.pass(30_000);
  assert.equal(clock.now() - start, HOUR + 30_000);
  clocks.set(-HOUR);
  assert.equal(clock.now() - start, HOUR + 30_000);
});

test('a jump forward that is corrected within half a minute is forgotten', () => {
  const clocks = movable();
  const clock = new ExpiryClock(clocks);
  const start = clock.now();
  clocks.set(1_000 * HOUR);
  assert.equal(clock.now() - start, 1_000 * HOUR);
  clocks.pass(20_000);
  clocks.set(-1_000 * HOUR);
  assert.equal(clock.now() - start, 20_000);
  // Another jump has half a minute of its own.
  clocks.pass(20_000);
  clocks.set(HOUR);
  assert.equal(clock.now() - start, HOUR + 40_000);
  clocks.set(-HOUR);
  assert.equal(clock.now() - start, 40_000);
});

test('after a reset the machine’s clock is trusted, also if it was set back', () => {
  const clocks = movable();
  const clock = new ExpiryClock(clocks);
  const start = clock.now();
  clocks.set(-HOUR);
  clock.reset();
  assert.equal(clock.now() - start, -HOUR);
});
