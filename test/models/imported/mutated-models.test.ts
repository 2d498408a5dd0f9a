import { ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { readCatboost } from '../../../src/models/imported/catboost.ts';
import type { ImportedModel, Iterations } from '../../../src/models/imported/imported-model.ts';
import { readXgboost } from '../../../src/models/imported/xgboost.ts';
import { mutate } from '../../mutated-inputs/mutate.ts';
import { runs, seed } from '../../support/random-tests.ts';
import { scoresOf } from './evaluate.ts';
import { savedModels } from './files.ts';

const readers: [start: string, read: (bytes: Buffer, iterations: Iterations) => ImportedModel][] = [
  ['xgboost-', readXgboost],
  ['catboost-', readCatboost],
];

describe('A damaged model file', () => {
  for (const [start, read] of readers)
    it(`is an error with a code, or a model that can be evaluated: ${start}`, () => {
      const models = savedModels(start);
      const count = runs(20_000, 400);
      for (let i = 0; i < count; i++) {
        const { bytes, file, rows } = models[i % models.length] ??
          models[0] ?? { bytes: Buffer.alloc(0), rows: [], file: '' };
        try {
          const model = read(mutate(bytes, seed + i, file.endsWith('.ubj')), 'default');
          const scores = scoresOf(model, rows[0] ?? []);
          ok(scores.every(score => typeof score === 'number'));
        } catch (error) {
          const isExpected =
            error instanceof RowcastError && ['bad_model', 'unsupported_model'].includes(error.code);
          if (!isExpected) throw new Error(`mutation ${seed + i} of ${file}`, { cause: error });
        }
      }
    });
});
