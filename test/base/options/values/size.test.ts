import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSize } from '../../../../src/base/options/values/size.ts';

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
