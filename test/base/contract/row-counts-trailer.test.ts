import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRowCounts, parseRowCounts } from '../../../src/base/contract/row-counts-trailer.ts';

test('the row counts of an upload are parsed as they were written', () => {
  for (const accounts of [
    { read: 0, scored: 0, rejected: 0 },
    { read: 12_000_000, scored: 11_999_999, rejected: 1 },
    { read: 3, scored: 3, rejected: 0, mismatched: 0, unseen: 2 },
  ])
    assert.deepEqual(parseRowCounts(formatRowCounts(accounts)), accounts);
});

test('a trailer that is malformed is ignored', () => {
  for (const text of [
    undefined,
    '',
    'read=1',
    'read=1, scored=1',
    'read=-1, scored=0, rejected=0',
    '1, 1, 0',
  ])
    assert.equal(parseRowCounts(text), undefined);
});
