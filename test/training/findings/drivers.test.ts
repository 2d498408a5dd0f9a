import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineModel } from '../../../src/models/model/engine.ts';
import { impacts } from '../../../src/training/findings/drivers.ts';
import { slow } from '../../support/slow.ts';

/** A model that predicts from one column and counts its predictions. */
function modelOf(index: number) {
  const asked = { times: 0 };
  const model: EngineModel = {
    width: 2,
    predict(values, rows) {
      asked.times++;
      const width = values.length / rows;
      const own = Array.from({ length: rows }, (_, row) => values[row * width + index]);
      return Float64Array.from(own.flatMap(value => (value === 1 ? [0.1, 0.9] : [0.9, 0.1])));
    },
    scores: () => new Float64Array(),
    shape: () => ({ trees: 0, depth: 0 }),
    unload: () => {},
  };
  return { model, asked };
}

const labels = Array.from({ length: 40 }, (_, row) => row % 2);

for (const { columns, times } of [
  { columns: 3, times: 9 },
  { columns: 200, times: 600 },
  { columns: 250, times: 500 },
  { columns: 600, times: 600 },
  { columns: 1000, times: 600 },
  { columns: 5000, times: 600 },
])
  (columns > 1000 ? slow : test)(
    `the impact of ${columns} columns takes ${times} predictions and finds the driving column`,
    () => {
      const index = columns - 2;
      const { model, asked } = modelOf(index);
      const table = Array.from({ length: columns }, () => [...labels]);
      const shares = impacts(model, table, labels, 1);
      assert.equal(shares.length, columns);
      assert.equal(shares[index], 1);
      assert.equal(asked.times - 1, times); // one of them before any shuffling
      assert.deepEqual(impacts(modelOf(index).model, table, labels, 1), shares);
    },
  );

test('columns without any effect have no impact', () => {
  const { model } = modelOf(2);
  const constant = labels.map(() => 1);
  assert.deepEqual(impacts(model, [[...labels], [...labels], constant], labels, 1), [0, 0, 0]);
});

test('the driver of many rows is found even if they are sorted by class', () => {
  const sorted = Array.from({ length: 20_000 }, (_, row) => (row < 15_000 ? 0 : 1));
  const { model } = modelOf(1);
  assert.deepEqual(impacts(model, [[...sorted], [...sorted]], sorted, 1), [0, 1]);
});
