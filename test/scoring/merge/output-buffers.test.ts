import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OutputBuffers } from '../../../src/scoring/merge/output-buffers.ts';

describe('the memory for outputs', () => {
  it('is large enough', () => {
    for (const size of [0, 1, 65_536, 65_537, 1_000_000]) {
      const buffer = new OutputBuffers(Buffer.alloc).take(size, 1);
      assert.ok(buffer.length >= size);
    }
  });

  it('is reused once its rows are written, and not before', () => {
    const outputs = new OutputBuffers(Buffer.alloc);
    const first = outputs.take(1000, 10);
    const second = outputs.take(1000, 20);
    assert.notEqual(first, second);
    outputs.release(9);
    assert.notEqual(outputs.take(1000, 30), first);
    outputs.release(19);
    assert.equal(outputs.take(1000, 40), first);
    outputs.release(40);
    assert.equal(new Set([outputs.take(1, 50), outputs.take(1, 60), outputs.take(1, 70)]).size, 3);
  });

  it('is not reused for a batch that is too large for it', () => {
    const outputs = new OutputBuffers(Buffer.alloc);
    const small = outputs.take(1000, 10);
    outputs.release(10);
    assert.notEqual(outputs.take(1_000_000, 20), small);
    assert.equal(outputs.take(1000, 30), small);
  });
});
