import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readDecimal } from '../../../src/formats/bytes/read-decimal.ts';

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
