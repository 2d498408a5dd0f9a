import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Decreases, isSignificantlyMore } from '../../../src/client/pacing/throttling.ts';

describe('the share of throttled requests', () => {
  it('counts as larger only if the difference is significant', () => {
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

  const after = (decreases: Decreases, accepted: number, throttled: number): void => {
    for (let call = 0; call < accepted; call++) decreases.count('accepted');
    for (let call = 0; call < throttled; call++) decreases.count('throttled');
  };

  it('is independent of the rate if two decreases had no effect; then the previous limit is restored', () => {
    const decreases = new Decreases();
    const recent = { accepted: 70, throttled: 30 };
    assert.equal(decreases.next(recent, 100, 0), undefined);
    after(decreases, 72, 28);
    assert.equal(decreases.next(recent, 63, 0), undefined);
    after(decreases, 68, 32);
    assert.deepEqual(decreases.next(recent, 40, 0), {
      limit: 100,
      outcomes: { accepted: 140, throttled: 60 },
    });
  });

  it('falls after each decrease if there is a limit, however often that decreases', () => {
    const decreases = new Decreases();
    for (let limit = 1000; limit > 10; limit /= 2) {
      assert.equal(decreases.next({ accepted: 60, throttled: 40 }, limit, 0), undefined);
      after(decreases, 98, 2);
    }
  });

  it('is not judged by few requests: they are counted together with those after the next decrease', () => {
    const decreases = new Decreases();
    const recent = { accepted: 90, throttled: 10 };
    decreases.next(recent, 100, 0);
    for (let limit = 90; limit > 40; limit -= 10) {
      after(decreases, 9, 1);
      assert.equal(decreases.next(recent, limit, 0), undefined);
    }
    after(decreases, 9, 1);
    decreases.next(recent, 40, 0);
    after(decreases, 54, 6);
    assert.equal(decreases.next(recent, 30, 0)?.limit, 100);
  });
});
