import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withUnsent } from '../../../src/client/scorer/encoded-batches.ts';
import type { ReceivedPredictions } from '../../../src/scoring/predictions.ts';

const error = { code: 'wrong_type', message: 'm' };
const other = { code: 'x', message: 'y' };

describe('rows that were not sent', () => {
  it('have an error between the predictions of the others, which keep their order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('sent', 'unsent', 'rejected'), { maxLength: 20 }), rows => {
        const sent = rows.filter(row => row !== 'unsent');
        const errors = new Map(sent.flatMap((row, at) => (row === 'rejected' ? [[at, other] as const] : [])));
        const unsent = new Map(rows.flatMap((row, at) => (row === 'unsent' ? [[at, error] as const] : [])));
        let value = 0;
        const all = Float64Array.from(rows, row => (row === 'unsent' ? Number.NaN : value++));
        const values = Float64Array.from(sent, (_, at) => at);
        const pairs = (list: Float64Array): Float64Array =>
          Float64Array.from([...list].flatMap(each => [each, each + 0.5]));
        const expectedErrors = new Map(
          rows.flatMap((row, at) =>
            row === 'sent' ? [] : [[at, row === 'unsent' ? error : other] as const],
          ),
        );
        const joined = (predictions: ReceivedPredictions): ReceivedPredictions => {
          const result = withUnsent(predictions, unsent, sent.length);
          assert.deepEqual(new Map([...result.errors].sort(([a], [b]) => a - b)), expectedErrors);
          return result;
        };
        assert.deepEqual(
          { ...joined({ kind: 'numbers', names: ['a', 'b'], values: pairs(values), errors }), errors },
          { kind: 'numbers', names: ['a', 'b'], values: pairs(all), errors },
        );
        assert.deepEqual(
          {
            ...joined({ kind: 'distribution', classes: ['a', 'b'], probabilities: pairs(values), errors }),
            errors,
          },
          { kind: 'distribution', classes: ['a', 'b'], probabilities: pairs(all), errors },
        );
        const indices = Int32Array.from(values);
        const labels = sent.map(String);
        assert.deepEqual(
          { ...joined({ kind: 'label', labels, indices, errors }), errors },
          {
            kind: 'label',
            labels,
            indices: Int32Array.from(all, at => (Number.isNaN(at) ? -1 : at)),
            errors,
          },
        );
      }),
    );
  });
});
