import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parts } from '../../src/service/candidates.ts';
import { loadEngine } from '../../src/service/engine.ts';
import { seededRandom } from '../../src/service/random.ts';
import { tryAlgorithms } from '../../src/service/trial.ts';

/** Two amounts, of which the first decides, apart from a tenth of the rows. */
function parts(): Parts {
  const random = seededRandom(9);
  const part = (rows: number) => {
    const amounts = Array.from({ length: rows }, random);
    return {
      columns: [amounts, amounts.map(random)],
      labels: amounts.map(amount => ((random() < 0.1 ? random() < 0.5 : amount > 0.5) ? 1 : 0)),
    };
  };
  return { types: ['numerical', 'numerical'], training: part(400), validation: part(400) };
}

test('a forest that is not clearly better after a trial is no contender, and a note says so', async () => {
  const { contenders, notes } = await tryAlgorithms(await loadEngine(), parts(), 4000);
  assert.deepEqual(contenders, ['gradient boosted trees']);
  assert.deepEqual(notes, [
    'Not trained on all rows, random forest: after 400 of them it was not clearly better on validation than gradient boosted trees.',
  ]);
});

/** Sixty rows whose class only chance decides: boosting learns them by heart, three hundred trees do not. */
function chance(): Parts {
  const { types, training, validation } = parts();
  const random = seededRandom(4);
  const few = (part: typeof training) => ({
    columns: part.columns.map(values => values.slice(0, 60)),
    labels: part.labels.slice(0, 60).map(() => (random() < 0.5 ? 1 : 0)),
  });
  return { types, training: few(training), validation: few(validation) };
}

test('a forest that is clearly better after a trial is a contender', async () => {
  const { contenders, notes } = await tryAlgorithms(await loadEngine(), chance(), 120);
  assert.deepEqual(contenders, ['gradient boosted trees', 'random forest']);
  assert.deepEqual(notes, []);
});

test('a forest that would come out too heavy is no contender however good, and a note says so', async () => {
  const { contenders, notes } = await tryAlgorithms(await loadEngine(), chance(), 1_000_000);
  assert.deepEqual(contenders, ['gradient boosted trees']);
  assert.deepEqual(notes, [
    'Not trained on all rows, random forest: it would weigh more than the limit of 20 MiB.',
  ]);
});
