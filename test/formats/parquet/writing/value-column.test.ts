import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValueColumn } from '../../../../src/formats/parquet/writing/value-column.ts';

describe('the values of a column', () => {
  const text = Buffer.alloc(6000, 'x');

  it('are refused where their places would be no 32-bit integers', () => {
    const column = new ValueColumn(12_000);
    column.add(text, 0, 6000);
    column.add(text, 0, 6000);
    column.add(text, 0, 5999);
    assert.equal(column.at(2)?.length, 5999);
    assert.throws(() => column.add(text, 0, 1), { code: 'group_too_large', hint: /--group-rows/ });
  });
});
