import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkpointBytes, parseCheckpoint } from '../../../src/runs/checkpoint/checkpoint-bytes.ts';

const carried = fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes));
const extent = fc.record(
  { bytes: fc.nat(), tail: fc.constant(''), carried },
  { requiredKeys: ['bytes', 'tail'], noNullPrototype: true },
);
const checkpoint = fc.record(
  { output: extent, rejects: extent, note: fc.string() },
  { noNullPrototype: true },
);

describe('the bytes of a checkpoint', () => {
  it('are read as they were written, with what it carries', () =>
    fc.assert(
      fc.property(checkpoint, own => {
        assert.deepEqual(parseCheckpoint(checkpointBytes(own)), own);
      }),
    ));

  it('are JSON and nothing else if it carries nothing', () => {
    const own = { output: { bytes: 3, tail: 'a' }, rejects: { bytes: 0, tail: '' } };
    assert.equal(checkpointBytes(own).toString(), JSON.stringify(own));
  });

  it('are damaged if they end before what it carries', () => {
    const rejects = { bytes: 9, tail: '', carried: Buffer.from('carried') };
    const bytes = checkpointBytes({ output: { bytes: 1, tail: '', carried: Buffer.from('x') }, rejects });
    assert.notEqual(parseCheckpoint(bytes), undefined);
    for (let end = 0; end < bytes.length; end++)
      assert.equal(parseCheckpoint(bytes.subarray(0, end)), undefined);
  });
});
