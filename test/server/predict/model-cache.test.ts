import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { predictColumns } from '../../../src/models/model/engine.ts';
import { ModelCache } from '../../../src/server/predict/model-cache.ts';
import { train } from '../../../src/training/train.ts';
import { history, homeWith } from '../../support/service/history.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';

slow('a model in use keeps predicting after its report is retrained, and is unloaded on release', async t => {
  const home = await ownTrainedHome(t);
  const models = new ModelCache(home);
  const { predictor, release } = await models.hold('one');
  const columns = [[25.5], [1], [3]];
  const before = predictColumns(predictor.model.engine, columns);
  const { historyFile } = await homeWith(history({ rows: 200, seed: 9 }));
  await train({ historyFile, predict: 'outcome', home, id: 'one', ifExists: 'replace' });
  const after = await models.predictor('one');
  await turn();
  await turn();
  assert.deepEqual(predictColumns(predictor.model.engine, columns), before);
  assert.notEqual(after.model, predictor.model);
  release();
  await turn();
  await turn();
  assert.throws(() => predictColumns(predictor.model.engine, columns));
  models.close();
});

test('a model that cannot be loaded is not held', async () => {
  const models = new ModelCache('/does/not/exist');
  await assert.rejects(models.hold('one'), { code: 'no_such_report' });
  assert.equal(models.loaded, 0);
  models.close();
});

test('models stay cached as long as they fit; the least recently used is dropped first', async t => {
  const home = await ownTrainedHome(t);
  const historyFile = join(home, 'history.csv');
  await train({ historyFile, predict: 'outcome', home, id: 'three' });
  const roomy = new ModelCache(home);
  const { bytes } = (await roomy.predictor('one')).model;
  assert.ok(bytes > 0);
  const models = new ModelCache(home, { maxBytes: 2.5 * bytes });
  const first = await models.predictor('one');
  await models.predictor('two');
  assert.equal(models.loaded, 2);
  assert.equal(await models.predictor('one'), first);
  await models.predictor('three');
  await turn();
  assert.equal(models.loaded, 2);
  assert.equal(await models.predictor('one'), first);
  const tiny = new ModelCache(home, { maxBytes: 1 });
  await tiny.predictor('one');
  await tiny.predictor('two');
  await turn();
  assert.equal(tiny.loaded, 1);
  for (const each of [roomy, models, tiny]) each.close();
});
