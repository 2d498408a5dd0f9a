import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkpointBytes, parseCheckpoint } from '../../../src/runs/checkpoint/checkpoint-bytes.ts';

const carried = fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes));
const members = { bytes: fc.nat(), tail: fc.constant(''), carried };
const optional = { requiredKeys: ['bytes' as const, 'tail' as const], noNullPrototype: true };
const checkpoint = fc.record(
  {
    output: fc.record({ ...members, open: carried }, optional),
    rejects: fc.record(members, optional),
    note: fc.string(),
  },
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

  const rejects = { bytes: 9, tail: '', carried: Buffer.from('carried') };
  const output = { bytes: 1, tail: '', carried: Buffer.from('x'), open: Buffer.from('a,b') };

  it('are damaged if a byte of what it carries is another one', () => {
    const bytes = checkpointBytes({ output, rejects });
    for (let at = bytes.indexOf('\n') + 1; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      assert.equal(parseCheckpoint(damaged), undefined);
    }
  });

  it('are damaged if they end before what it carries', () => {
    const bytes = checkpointBytes({ output, rejects });
    assert.notEqual(parseCheckpoint(bytes), undefined);
    for (let end = 0; end < bytes.length; end++)
      assert.equal(parseCheckpoint(bytes.subarray(0, end)), undefined);
  });
});
