import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import { MAX_DECIMAL_BYTES, readDecimal, writeDecimal } from '../../../src/formats/bytes/decimals.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { runs } from '../../support/random-tests.ts';

/** With room for a sign, too. */
function textOf(value: number): string {
  const into = wordView(Buffer.alloc(2 + MAX_DECIMAL_BYTES, '9'));
  return into.bytes.toString('latin1', 1, writeDecimal(value, into, 1));
}

const memory = BatchMemory.create();
assert.ok(memory);
const { kernel, buffer } = memory;
const openingAt = memory.keep(Int32Array.of(0, 0));
const valueAt = memory.keep(new Float64Array(1));
const endsAt = memory.keep(new Int32Array(2));
const textAt = memory.keep(new Uint8Array(64));

/** As the kernel writes it; undefined if it does not. */
function textInKernel(value: number): string | undefined {
  new Float64Array(buffer, valueAt, 1)[0] = value;
  if (kernel.appendFields(valueAt, 1, 0, 1, openingAt, 0, textAt, endsAt) === 0) return undefined;
  return Buffer.from(buffer, textAt, new Int32Array(buffer, endsAt, 2)[1]).toString('latin1');
}

function isExact(value: number): void {
  assert.equal(textOf(value), String(value));
  const isWritten = value === 0 || (value >= 2 ** -37 && value <= 1);
  assert.equal(textInKernel(value), isWritten ? String(value) : undefined);
}

describe('a number that is written as bytes', () => {
  it('has the text of String() at the limits of each way to write it', () => {
    for (const limit of [
      1e-15, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 0.1, 0.12345678, 0.123456789, 0.123456789012345, 0.5, 1,
    ])
      for (const value of [limit, limit * (1 + Number.EPSILON), limit * (1 - Number.EPSILON), 1 - limit])
        isExact(value);
    for (const value of [0, -0, 5e-324, 0.1 + 0.2, 0.0000012345678901234567, Number.NaN, 1e21, -0.25])
      isExact(value);
  });

  it('has the text of String() next to powers of two, where doubles are closer on one side', () => {
    for (let power = 2; power > 2 ** -50; power /= 2)
      for (let ulps = -3; ulps <= 3; ulps++) isExact(power * (1 + (ulps * Number.EPSILON) / 2));
  });

  it('has the text of String() with any number of decimals', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 22 }), (digits, decimals) => {
        isExact(Number(`0.${String(digits).padStart(decimals, '0')}`));
        isExact((digits % 10 ** Math.min(decimals, 15)) / 10 ** decimals);
      }),
      { numRuns: runs(50_000) },
    );
  });

  it('has the text of String() for every double, also in 0..1', () => {
    fc.assert(
      fc.property(fc.double(), fc.double({ min: 0, max: 1, noNaN: true }), (any, probability) => {
        isExact(any);
        isExact(probability);
        isExact(Math.fround(probability));
      }),
      { numRuns: runs(50_000) },
    );
  });
});

const read = (text: string): number => readDecimal(Buffer.from(text), 0, text.length);

describe('a decimal number of few digits', () => {
  it('is read as JavaScript reads it', () => {
    const digits = fc.stringMatching(/^-?\d{1,10}(\.\d{1,5})?$/);
    fc.assert(fc.property(digits, text => assert.ok(Object.is(read(text), Number(text)), text)));
  });

  it('is any double of up to 15 digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), number => {
        const text = String(Number(number.toPrecision(12)));
        const value = read(text);
        assert.ok(
          Number.isNaN(value) ? /e|\d{16}/.test(text.replace('.', '')) : Object.is(value, Number(text)),
          text,
        );
      }),
    );
  });

  for (const text of ['', '-', '.', '.5', '5.', '1e5', '+1', '1.2.3', ' 1', '0x1', '1234567890123456', 'NaN'])
    it(`is not every text: "${text}"`, () => assert.ok(Number.isNaN(read(text))));
});
