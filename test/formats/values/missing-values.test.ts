import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMissingSpelling, placeholderAmong } from '../../../src/formats/values/missing-values.ts';

test('spellings of a missing value are recognized in any case and with spaces around them', () => {
  for (const text of ['N.A.', ' n/a ', 'NULL', '#N/A', 'Unknown', '-', '1.#QNAN', '0000-00-00'])
    assert.ok(isMissingSpelling(text), text);
  for (const text of ['', '0', 'no', 'naan', '-999']) assert.ok(!isMissingSpelling(text), text);
});

for (const [numbers, placeholder] of [
  [[-999, 0, 12, 500], -999],
  [[-1, 0, 12, 500], -1],
  [[9999, 0, 12, 500], 9999],
  [[99, 18, 40, 65], undefined], // an age
  [[999, 990, 12, 500], undefined],
  [[-999, -5, 12], undefined],
  [[-998, 0, 12], undefined],
  [[9, 1, 2], undefined],
  [[-999], undefined],
  [[], undefined],
] as const)
  test(`among ${numbers.join(', ') || 'no numbers'}, ${placeholder ?? 'nothing'} is suspicious`, () => {
    assert.equal(placeholderAmong(numbers), placeholder);
  });
