import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countOf, partOf } from '../../src/base/number-text.ts';

it('counts have separators, and the singular for one', () => {
  assert.deepEqual([countOf(1, 'row'), countOf(20_000, 'row')], ['1 row', '20,000 rows']);
  const were = ['was', 'were'] as const;
  assert.equal(partOf(1, 30, 'row', were), '1 of 30 rows was');
  assert.equal(partOf(18_357, 20_000, 'row', were), '18,357 of 20,000 rows were');
});
