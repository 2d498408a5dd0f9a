import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PersonaError } from '../../../src/server/predict/encode-personas.ts';
import { ResponseWriter } from '../../../src/server/predict/serialize-predictions.ts';
import { character, runs } from '../../support/random-tests.ts';

const probability = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.float({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, 1, 0.5, 1e-7, 5e-324),
);
const error: fc.Arbitrary<PersonaError> = fc.record({
  code: fc.constantFrom('not_a_persona', 'unknown_columns', 'invalid_value'),
  message: fc.string({ unit: 'grapheme' }),
});

test('a response is the JSON of its predictions, errors at their places, for any names of classes', () => {
  const names = fc.uniqueArray(fc.oneof(fc.string({ unit: character }), fc.constant('__proto__')), {
    minLength: 2,
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      names,
      fc.array(fc.oneof(fc.array(probability, { minLength: 5, maxLength: 5 }), error), { minLength: 1 }),
      fc.nat(3),
      (classes, rows, slices) => {
        const writer = new ResponseWriter({ kind: 'distribution', classes });
        const size = Math.ceil(rows.length / (slices + 1));
        const parts: Buffer[] = [];
        for (let from = 0; from < rows.length; from += size) {
          const slice = rows.slice(from, from + size);
          const errors = new Map(
            slice.flatMap((row, i): [number, PersonaError][] => (Array.isArray(row) ? [] : [[i, row]])),
          );
          const probabilities = slice.flatMap(row =>
            classes.map((_, i) => (Array.isArray(row) ? (row[i] ?? 0) : Number.NaN)),
          );
          const encoded = { rows: slice.length, values: new Float64Array(), errors };
          parts.push(writer.predictions(encoded, Float64Array.from(probabilities)));
        }
        const expected = rows.map(row =>
          Array.isArray(row)
            ? `{"probabilities":{${classes.map((name, i) => `${JSON.stringify(name)}:${row[i]}`)}}}`
            : JSON.stringify({ error: row }),
        );
        assert.equal(String(writer.batch('one', parts)), `{"id":"one","predictions":[${expected}]}`);
        const [first] = rows;
        if (Array.isArray(first))
          assert.equal(
            String(writer.single('one', Float64Array.from(first.slice(0, classes.length)))),
            `{"id":"one",${expected[0]?.slice(1)}`,
          );
      },
    ),
    { numRuns: runs(1000) },
  );
});
