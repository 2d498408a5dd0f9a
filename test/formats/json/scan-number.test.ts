import '../../support/random-tests.ts';
import '../../support/random-tests.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Latin1Window, NumberScanner } from '../../../src/formats/json/scan-number.ts';

function scan(json: string, start = 0): { number: number | undefined; end: number } {
  const bytes = Buffer.from(json);
  const numbers = new NumberScanner(bytes, new Latin1Window(bytes));
  return { number: numbers.scan(start), end: numbers.end };
}

describe('the scanner of JSON numbers', () => {
  it('reads every number as JSON.parse does, and finds its end', () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String);
    const exponent = fc.constantFrom('', 'e5', 'E+12', 'e-7', 'e400');
    const text = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), exponent)
      .map(
        ([sign, whole, fraction, power]) => sign + whole + (fraction === null ? '' : `.${fraction}`) + power,
      );
    fc.assert(
      fc.property(text, json => {
        const { number, end } = scan(`[${json},1`, 1);
        assert.ok(Object.is(number, JSON.parse(json)));
        assert.equal(end, 1 + json.length);
      }),
    );
  });

  it('rejects what is not a number', () => {
    for (const json of ['', '-', '.5', '1.', '01', '-01', '1e', '1e+', '+1', 'x', 'e5'])
      assert.equal(scan(json).number, undefined, json);
  });
});

it('a window gives the text of any piece, within a window, across two and longer than one', () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 251));
  const window = new Latin1Window(bytes);
  const offset = fc.integer({ min: 0, max: bytes.length });
  fc.assert(
    fc.property(offset, offset, (one, other) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      for (const stop of [end, Math.min(end, start + 20)])
        assert.equal(window.slice(start, stop), bytes.toString('latin1', start, stop));
    }),
  );
});
