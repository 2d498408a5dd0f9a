import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCatboost } from '../../../src/models/imported/catboost.ts';
import { scoresOf } from './evaluate.ts';
import { savedModels } from './files.ts';

describe('A model of CatBoost', () => {
  for (const { file, bytes, rows, raw } of savedModels('catboost-')) {
    if (file.includes('counters')) continue;
    it(`gives the scores of the library bit for bit: ${file}`, () => {
      const model = readCatboost(bytes, 'default');
      deepEqual(
        rows.map(row => scoresOf(model, row)),
        raw,
      );
      equal(model.library, 'CatBoost');
    });
  }
});
