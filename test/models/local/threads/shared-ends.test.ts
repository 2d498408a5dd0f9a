import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Batch } from '../../../../src/formats/records/batch.ts';
import { endsBytes, withSharedEnds } from '../../../../src/models/local/local-batches.ts';

describe('the ends of records in shared memory', () => {
  it('are those of the batch, wherever the memory begins, and leave the bytes before them alone', () => {
    const position = { offset: 0, row: 1, line: 1 };
    for (const records of [0, 1, 3, 250])
      for (const before of [0, 1, 2, 3, 4, 4097]) {
        const ends = Int32Array.from({ length: records }, (_, at) => 7 * at + 7);
        const kinds = Uint8Array.from({ length: records }, (_, at) => at % 3);
        const batch: Batch = {
          bytes: Buffer.alloc(7 * records),
          ends,
          kinds,
          start: position,
          end: position,
          mayBeTruncated: false,
        };
        const memory = Buffer.from(new SharedArrayBuffer(before + endsBytes(batch))).fill(255);
        const shared = withSharedEnds(batch, memory.subarray(before));
        assert.deepEqual([shared.ends, shared.kinds], [ends, kinds]);
        assert.ok(shared.ends.buffer === memory.buffer && shared.kinds.buffer === memory.buffer);
        assert.ok(memory.subarray(0, before).every(byte => byte === 255));
      }
  });
});
