import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LearnedLimit } from '../../../src/client/bodies/encode.ts';

describe('the batch size limit', () => {
  it('is half of what was rejected as too large', () => {
    const limit = new LearnedLimit(1000);
    limit.rejected(900);
    assert.equal(limit.bytes, 450);
    limit.rejected(800); // it was already in flight
    assert.equal(limit.bytes, 400);
  });

  it('is at least what was accepted, in either order', () => {
    const limit = new LearnedLimit(1000);
    limit.rejected(10);
    limit.accepted(300);
    assert.equal(limit.bytes, 300);
    limit.rejected(20);
    limit.rejected(301);
    assert.equal(limit.bytes, 300);
  });

  it('never exceeds the initial limit', () => {
    const limit = new LearnedLimit(1000);
    limit.accepted(5000); // one row, which is sent however large it is
    assert.equal(limit.bytes, 1000);
  });
});
