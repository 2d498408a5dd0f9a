import assert from 'node:assert/strict';
import { test } from 'node:test';
import { algorithms, loadEngine, type TrainingTable } from '../../src/service/engine.ts';
import { seededRandom } from '../../src/service/random.ts';

/** The last class is the most frequent, so that the engine's order is not ours. */
function table(classes: number): TrainingTable {
  const random = seededRandom(3);
  const labels = Array.from({ length: 400 }, () =>
    random() < 0.4 ? classes - 1 : Math.floor(random() * classes),
  );
  return {
    types: ['numerical', 'categorical'],
    columns: [
      labels.map(label => (random() < 0.1 ? null : label * 10 + random())),
      // Falling frequency: level 1 is in about two thirds of the rows.
      labels.map(() => (random() < 0.66 ? 1 : random() < 0.5 ? 2 : null)),
    ],
    labels,
  };
}

for (const algorithm of algorithms) {
  for (const classes of [2, 4]) {
    test(`${algorithm} predict ${classes} classes in the order of the labels`, async () => {
      const engine = await loadEngine();
      const model = engine.train(algorithm, table(classes));
      for (let label = 0; label < classes; label++) {
        const row = [...model.predict([[label * 10 + 0.5], [1]])];
        assert.equal(row.length, classes);
        assert.equal(row.indexOf(Math.max(...row)), label);
        assert.ok(Math.abs(row.reduce((sum, p) => sum + p) - 1) < 1e-5);
      }
    });
  }
}

test('a model that was saved and loaded predicts the same, and keeps its description', async () => {
  const engine = await loadEngine();
  const data = table(3);
  const model = engine.train('gradient boosted trees', data);
  const loaded = await engine.load(await model.save('{"é":"日本"}'));
  assert.equal(loaded.description, '{"é":"日本"}');
  assert.deepEqual(loaded.model.predict(data.columns), model.predict(data.columns));
});

for (const { algorithm, trees } of [
  { algorithm: 'random forest', trees: 300 },
  // Boosting stops early, and has a tree a class in each round.
  { algorithm: 'gradient boosted trees', trees: 900 },
] as const)
  test(`the shape of ${algorithm} is that of the same trees each time`, async () => {
    const data = table(3);
    const shape = (await loadEngine()).train(algorithm, data).shape();
    assert.ok(shape.trees > 0 && shape.trees <= trees && shape.trees % 3 === 0, String(shape.trees));
    assert.ok(shape.depth >= 1 && shape.depth < 20, String(shape.depth));
    assert.deepEqual((await loadEngine()).train(algorithm, data).shape(), shape);
  });

test('a row of missing values has a prediction', async () => {
  const engine = await loadEngine();
  const model = engine.train('gradient boosted trees', table(2));
  assert.equal(model.predict([[null], [null]]).length, 2);
});

test('levels that are not numbered by frequency are refused', async () => {
  const engine = await loadEngine();
  const random = seededRandom(1);
  const labels = Array.from({ length: 300 }, () => Math.floor(random() * 2));
  const columns = [labels.map(label => (label === 1 && random() < 0.6 ? 1 : 2))];
  assert.throws(() => engine.train('gradient boosted trees', { types: ['categorical'], columns, labels }), {
    code: 'engine_failed',
    message: /frequency/,
  });
});

test('a file that is no model is a failure with a reason', async () => {
  const engine = await loadEngine();
  await assert.rejects(engine.load(Buffer.from('no zip')), { code: 'engine_failed' });
});

test('loading the engine leaves the handlers of fatal errors as they were', async () => {
  const before = process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection');
  await loadEngine();
  assert.equal(
    process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection'),
    before,
  );
});
