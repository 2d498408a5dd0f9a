import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMore, Lowerings } from '../../../src/client/pacing/refusals.ts';

describe('the share of calls that are refused', () => {
  it('is more than before only where chance does not make it so', () => {
    assert.equal(isMore({ taken: 60, refused: 40 }, { taken: 90, refused: 10 }), true);
    assert.equal(isMore({ taken: 6, refused: 4 }, { taken: 90, refused: 10 }), false);
    assert.equal(isMore({ taken: 100, refused: 0 }, { taken: 90, refused: 10 }), false);
    assert.equal(isMore({ taken: 100, refused: 0 }, { taken: 100, refused: 0 }), false);
  });

  const after = (lowerings: Lowerings, taken: number, refused: number): void => {
    for (let call = 0; call < taken; call++) lowerings.count('taken');
    for (let call = 0; call < refused; call++) lowerings.count('refused');
  };

  it('is the same at any rate where two lowerings changed nothing; then the limit before them holds', () => {
    const lowerings = new Lowerings();
    const recent = { taken: 70, refused: 30 };
    assert.equal(lowerings.again(recent, 100, 0), undefined);
    after(lowerings, 72, 28);
    assert.equal(lowerings.again(recent, 63, 0), undefined);
    after(lowerings, 68, 32);
    assert.deepEqual(lowerings.again(recent, 40, 0), { limit: 100, outcomes: { taken: 140, refused: 60 } });
  });

  it('falls where there is a limit, however often that falls', () => {
    const lowerings = new Lowerings();
    for (let limit = 1000; limit > 10; limit /= 2) {
      assert.equal(lowerings.again({ taken: 60, refused: 40 }, limit, 0), undefined);
      after(lowerings, 98, 2);
    }
  });

  it('is not told from few calls: they are counted with those after the next lowering', () => {
    const lowerings = new Lowerings();
    const recent = { taken: 90, refused: 10 };
    lowerings.again(recent, 100, 0);
    for (let limit = 90; limit > 40; limit -= 10) {
      after(lowerings, 9, 1);
      assert.equal(lowerings.again(recent, limit, 0), undefined);
    }
    after(lowerings, 9, 1);
    lowerings.again(recent, 40, 0);
    after(lowerings, 54, 6);
    assert.equal(lowerings.again(recent, 30, 0)?.limit, 100);
  });
});
