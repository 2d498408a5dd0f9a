import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { joinRanges } from '../../../../src/formats/parquet/footer/chunk-table.ts';

describe('joined ranges', () => {
  it('have all bytes of each, with gaps between them', () => {
    const range = fc.tuple(fc.nat(300), fc.nat(40)).map(([from, size]) => ({ from, to: from + size }));
    fc.assert(
      fc.property(fc.array(range), fc.nat(20), (ranges, gap) => {
        const joined = joinRanges(ranges, gap);
        for (const { from, to } of ranges) assert.ok(joined.some(own => own.from <= from && to <= own.to));
        for (const [index, { from }] of joined.entries())
          assert.ok(index === 0 || from > (joined[index - 1]?.to ?? 0) + gap);
      }),
    );
  });
});
