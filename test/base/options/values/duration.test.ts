import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, readDuration } from '../../../../src/base/options/values/duration.ts';

test('a duration is read in seconds; it has a unit, or is a bare number of seconds', () => {
  const read = ['500ms', '90s', '5m', '2h', '1d', '7', '1.5', '0', ' 3s '].map(readDuration);
  assert.deepEqual(read, [0.5, 90, 300, 7_200, 86_400, 7, 1.5, 0, 3]);
});

test('anything else is refused', () => {
  for (const text of [
    '',
    's',
    '-1s',
    '1 s',
    '1S',
    '1min',
    '1e3',
    '0x10',
    'Infinity',
    '1m30s',
    '9'.repeat(400),
  ])
    assert.equal(readDuration(text), undefined, text);
});

test('a duration is formatted in the largest unit that keeps it whole', () => {
  const shown = [0, 0.5, 1.5, 90, 7_200, 86_400].map(formatDuration);
  assert.deepEqual(shown, ['0s', '500ms', '1500ms', '90s', '2h', '1d']);
});
