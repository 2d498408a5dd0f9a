import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { predictionCheck } from '../../../src/runs/verify/check-prediction.ts';

const dialect = { delimiter: ',', quote: '"', loneCr: false };
const threshold = { no: 0.6, yes: 0.6, maybe: 0.6 };

describe('a predicted class below its threshold, beside listed probabilities', () => {
  it('is right if these are all classes in another order, since none reaches its threshold', () => {
    const shown = { classes: ['yes', 'maybe', 'no'], areKnown: true, areAll: false };
    const check = predictionCheck(shown, dialect, { threshold });
    assert.equal(check('no', Float64Array.of(0.2, 0.3, 0.5)), true);
    assert.equal(check('yes', Float64Array.of(0.2, 0.3, 0.5)), false);
    assert.equal(check('no', Float64Array.of(0.7, 0.1, 0.2)), false);
  });

  it('is wrong if a class without a threshold is not shown', () => {
    const shown = { classes: ['yes', 'no'], areKnown: true, areAll: false };
    const check = predictionCheck(shown, dialect, { threshold: { no: 0.6, yes: 0.6 } });
    assert.equal(check('no', Float64Array.of(0.2, 0.5)), false);
    assert.equal(check('maybe', Float64Array.of(0.2, 0.5)), true);
  });

  it('counts what was lost by rounding as shown', () => {
    const shown = { classes: ['yes', 'maybe', 'no'], areKnown: true, areAll: false };
    const check = predictionCheck(shown, dialect, {
      threshold: { no: 0.9, yes: 0.9, maybe: 0.9 },
      decimals: 0,
    });
    assert.equal(check('no', Float64Array.of(0, 0, 0)), true);
  });
});
