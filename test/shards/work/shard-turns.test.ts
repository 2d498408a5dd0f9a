import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from '../../../src/shards/work/shard-turns.ts';

describe('turns', () => {
  it('choose all shards one after the other, then the first ones again', () => {
    const turns = new Turns(2);
    const shards = [1, 3, 4, 6, 9];
    assert.deepEqual(
      [turns.next(shards), turns.next(shards), turns.next(shards)],
      [
        [1, 3],
        [4, 6],
        [9, 1],
      ],
    );
  });

  it('go on behind a shard that is there no longer', () => {
    const turns = new Turns(1);
    assert.deepEqual(turns.next([5, 7]), [5]);
    assert.deepEqual(turns.next([4, 7]), [7]);
    assert.deepEqual(turns.next([4]), [4]);
  });

  it('choose each only once, and none if there is none', () => {
    const turns = new Turns(9);
    assert.deepEqual(turns.next([2, 8]), [2, 8]);
    assert.deepEqual(turns.next([2, 8]), [2, 8]);
    assert.deepEqual(turns.next([]), []);
    assert.deepEqual(turns.next([8]), [8]);
  });
});
