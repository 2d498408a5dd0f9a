import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readXgboost } from '../../../src/models/imported/xgboost.ts';
import { scoresOf } from './evaluate.ts';
import { savedModels } from './files.ts';

describe('A model of XGBoost', () => {
  for (const { file, bytes, columns, levels, rows, raw } of savedModels('xgboost-'))
    it(`gives the scores of the library bit for bit: ${file}`, () => {
      const model = readXgboost(bytes, 'default');
      const scores = rows.map(row =>
        scoresOf(
          model,
          row,
          columns.map(column => levels?.[column] ?? []),
        ),
      );
      deepEqual(
        scores,
        raw.map(row => row.map(Math.fround)),
      );
      equal(model.library, 'XGBoost');
    });
});
