import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { formatDuration, readDuration, readSize } from '../../../../src/base/options/values/duration.ts';

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

describe('a size', () => {
  it('is a number of bytes, or has a unit of 1,024 bytes, its square or its cube', () => {
    const sizes = {
      65536: 65536,
      '64K': 65536,
      '64KiB': 65536,
      '64 kib': 65536,
      '1m': 1 << 20,
      '2G': 2 ** 31,
    };
    for (const [text, bytes] of Object.entries(sizes)) assert.equal(readSize(text), bytes, text);
  });

  it('is refused with a unit that could mean 1,000 bytes', () => {
    for (const text of ['', '1MB', '1kB', '1.5M', '-1', '1T', 'K'])
      assert.equal(readSize(text), Number.NaN, text);
  });
});
