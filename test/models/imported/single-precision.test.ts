import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutAtMost, cutBelow, logSingle } from '../../../src/models/imported/single-precision.ts';
import '../../support/random-tests.ts';

const single = fc.float({ noNaN: true, noDefaultInfinity: true });

describe('a cut for doubles', () => {
  it('divides them as float32s are divided', () => {
    fc.assert(
      fc.property(single, fc.double({ noNaN: true, min: -3, max: 3 }), (border, away) => {
        for (const value of [border, border * (1 + away * 2 ** -24), border + away * 2 ** -149, away]) {
          assert.equal(value <= cutAtMost(border), Math.fround(value) <= border);
          assert.equal(value <= cutBelow(border), Math.fround(value) < border);
        }
      }),
    );
  });

  it('is exact at the ends of float32', () => {
    const most = (2 - 2 ** -23) * 2 ** 127;
    const overflow = most + 2 ** 103;
    for (const value of [overflow, overflow - 2 ** 80, most, Number.MAX_VALUE, Number.POSITIVE_INFINITY])
      for (const sign of [1, -1])
        for (const border of [most, -most]) {
          assert.equal(sign * value <= cutAtMost(border), Math.fround(sign * value) <= border);
          assert.equal(sign * value <= cutBelow(border), Math.fround(sign * value) < border);
        }
  });
});

describe('the logarithm of a float32', () => {
  it('is that of glibc, even where it is not the nearest float32', () => {
    // From logf of glibc 2.36.
    const cases: [number, number][] = [
      [1.022637963294983, 0.022385528311133385],
      [1.1476502418518066, 0.13771657645702362],
      [1.0143985748291016, 0.014295900240540504],
      [1.9517828226089478, 0.6687432527542114],
      [0.9721429347991943, -0.028252432122826576],
      [1.0775806903839111, 0.0747184306383133],
      [1.0, 0.0],
      [9.99994610111476e-41, -92.10340881347656],
      [3.0000000054977558e38, 88.59684753417969],
      [0.5, -0.6931471824645996],
    ];
    for (const [value, log] of cases) assert.equal(logSingle(Math.fround(value)), Math.fround(log));
  });
});
