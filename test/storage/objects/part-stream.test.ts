import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Claim } from '../../../src/storage/objects/claim.ts';
import { PartMemory, partBytesFor } from '../../../src/storage/objects/part-stream.ts';

const started = () => {
  const claim = { saves: 0 };
  return { claim, memory: new PartMemory(8, claim as Claim) }; // it only reads this number
};

describe('the memory of parts', () => {
  it('is used again after the upload, once a point lies behind the part', () => {
    const { memory } = started();
    const first = memory.take();
    memory.uploaded(1, first);
    assert.notEqual(memory.take(), first);
    memory.pointAfter(1);
    assert.equal(memory.take(), first);
  });

  it('is not used again while a save copies bytes of the part', () => {
    const { memory, claim } = started();
    const [first, second] = [memory.take(), memory.take()];
    memory.pointAfter(1);
    memory.saveBegins();
    memory.uploaded(2, second);
    memory.pointAfter(2);
    assert.notEqual(memory.take(), second);
    memory.uploaded(1, first);
    assert.equal(memory.take(), first);
    claim.saves++;
    assert.equal(memory.take(), second);
  });

  it('does not grow with the number of parts and saves', () => {
    const { memory, claim } = started();
    const all = new Set<Buffer>();
    const inUse: { number: number; bytes: Buffer }[] = [];
    for (let number = 1; number <= 1_000; number++) {
      const bytes = memory.take();
      all.add(bytes);
      inUse.push({ number, bytes });
      memory.pointAfter(number - 1);
      if (number % 10 === 0) memory.saveBegins();
      const oldest = inUse.length > 2 ? inUse.shift() : undefined;
      if (oldest !== undefined) memory.uploaded(oldest.number, oldest.bytes);
      memory.pointAfter(number);
      if (number % 10 === 3) claim.saves++;
    }
    assert.ok(all.size <= 4, `${all.size} buffers`);
  });

  it('is used once only if points further back may be gone back to', () => {
    const memory = new PartMemory(8, undefined);
    const first = memory.take();
    memory.uploaded(1, first);
    memory.pointAfter(1);
    assert.notEqual(memory.take(), first);
  });
});

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
