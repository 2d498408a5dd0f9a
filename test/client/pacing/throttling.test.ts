import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Decreases, isSignificantlyMore } from '../../../src/client/pacing/throttling.ts';

describe('the share of calls that are throttled', () => {
  it('is more than before only where chance does not make it so', () => {
    assert.equal(isSignificantlyMore({ accepted: 60, throttled: 40 }, { accepted: 90, throttled: 10 }), true);
    assert.equal(isSignificantlyMore({ accepted: 6, throttled: 4 }, { accepted: 90, throttled: 10 }), false);
    assert.equal(
      isSignificantlyMore({ accepted: 100, throttled: 0 }, { accepted: 90, throttled: 10 }),
      false,
    );
    assert.equal(
      isSignificantlyMore({ accepted: 100, throttled: 0 }, { accepted: 100, throttled: 0 }),
      false,
    );
  });

  const after = (lowerings: Decreases, accepted: number, throttled: number): void => {
    for (let call = 0; call < accepted; call++) lowerings.count('accepted');
    for (let call = 0; call < throttled; call++) lowerings.count('throttled');
  };

  it('is the same at any rate where two lowerings changed nothing; then the limit before them holds', () => {
    const lowerings = new Decreases();
    const recent = { accepted: 70, throttled: 30 };
    assert.equal(lowerings.next(recent, 100, 0), undefined);
    after(lowerings, 72, 28);
    assert.equal(lowerings.next(recent, 63, 0), undefined);
    after(lowerings, 68, 32);
    assert.deepEqual(lowerings.next(recent, 40, 0), {
      limit: 100,
      outcomes: { accepted: 140, throttled: 60 },
    });
  });

  it('falls where there is a limit, however often that falls', () => {
    const lowerings = new Decreases();
    for (let limit = 1000; limit > 10; limit /= 2) {
      assert.equal(lowerings.next({ accepted: 60, throttled: 40 }, limit, 0), undefined);
      after(lowerings, 98, 2);
    }
  });

  it('is not told from few calls: they are counted with those after the next lowering', () => {
    const lowerings = new Decreases();
    const recent = { accepted: 90, throttled: 10 };
    lowerings.next(recent, 100, 0);
    for (let limit = 90; limit > 40; limit -= 10) {
      after(lowerings, 9, 1);
      assert.equal(lowerings.next(recent, limit, 0), undefined);
    }
    after(lowerings, 9, 1);
    lowerings.next(recent, 40, 0);
    after(lowerings, 54, 6);
    assert.equal(lowerings.next(recent, 30, 0)?.limit, 100);
  });
});
