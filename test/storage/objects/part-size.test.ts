import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partBytesFor } from '../../../src/storage/objects/part-stream.ts';

const GIB = 2 ** 30;

it('the parts of an output suffice if it is half as large again as its input', () => {
  assert.equal(partBytesFor(undefined), 32 << 20);
  assert.equal(partBytesFor(1), 8 << 20);
  for (const bytes of [GIB, 48 * GIB, 300 * GIB, 2900 * GIB]) {
    const part = partBytesFor(bytes);
    assert.ok(part * 9_999 >= 1.5 * bytes, `${part} for ${bytes}`);
    assert.equal(part % (1 << 20), 0);
  }
  assert.equal(partBytesFor(10_000 * GIB), 512 << 20);
});
