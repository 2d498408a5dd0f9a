import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import {
  allToSinglePrecision,
  kernelRounding,
  toSinglePrecision,
} from '../../../src/models/model/single-precision.ts';
import { runs } from '../../support/random-tests.ts';

const ONE = 0x3f800000;

/** What the rounding promises, with strings. */
function reference(probability: number): number {
  const single = Math.fround(probability);
  for (let digits = 1; digits <= 9; digits++) {
    const rounded = Number(single.toPrecision(digits));
    if (Math.fround(rounded) === single) return rounded;
  }
  throw new Error(`${single} needs more than nine digits`);
}

/** The float32 with these bits. */
function singleOf(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

const memory = BatchMemory.create();
assert.ok(memory);
const withKernel = kernelRounding(memory);

function agrees(probability: number): void {
  const expected = reference(probability);
  assert.equal(toSinglePrecision(probability), expected, String(probability));
  // Between others, one of which the kernel leaves to TypeScript.
  assert.deepEqual([...withKernel(Float64Array.of(1e-30, probability, 0.5))], [1e-30, expected, 0.5]);
}

describe('a probability in single precision', () => {
  it('has no more digits than its float32 needs', () => {
    assert.equal(toSinglePrecision(0.9441353380680084), 0.9441353);
    assert.equal(toSinglePrecision(1 - 0.9441353380680084), 0.055864662);
    assert.equal(toSinglePrecision(1 / 3), 0.33333334);
    assert.deepEqual([0, 0.5, 1, 0.1, 0.25].map(toSinglePrecision), [0, 0.5, 1, 0.1, 0.25]);
    assert.deepEqual(
      [1e-7, 1 / 3e9, 1.401298464324817e-45].map(toSinglePrecision),
      [1e-7, 3.3333333e-10, 1e-45],
    );
  });

  it('is 0 if float32 has nothing smaller, and 1 if it rounds to that', () => {
    assert.deepEqual([1e-60, 1 - 1e-9].map(toSinglePrecision), [0, 1]);
  });

  it('is not a number if it was none', () => {
    assert.ok(Number.isNaN(toSinglePrecision(Number.NaN)));
  });

  it('is the shortest at the ends of all powers of two, where the distance of numbers changes', () => {
    for (let exponent = 0; exponent < 127; exponent++)
      for (const fraction of [0, 1, 2, 3, 0x400000, 0x7ffffd, 0x7ffffe, 0x7fffff])
        agrees(singleOf(exponent * 2 ** 23 + fraction));
  });

  it('is the shortest for every float32', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: ONE }), bits => agrees(singleOf(bits))),
      { numRuns: runs(200_000) },
    );
  });

  it('is the shortest for every double', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        (root, power) => {
          agrees(root);
          agrees(root ** power);
        },
      ),
      { numRuns: runs(100_000) },
    );
  });

  it('is in the place of what it was', () => {
    const probabilities = Float64Array.of(1 / 3, 2 / 3);
    assert.equal(allToSinglePrecision(probabilities), probabilities);
    assert.deepEqual([...probabilities], [0.33333334, 0.6666667]);
  });
});
