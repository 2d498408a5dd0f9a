import assert from 'node:assert/strict';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { predictColumns } from '../../../src/models/model/engine.ts';
import { readReport } from '../../../src/models/store/report-store.ts';
import { reportFolder } from '../../../src/models/store/report-version.ts';
import { writeReport } from '../../../src/models/store/write-report.ts';
import { ModelCache, preloadModels } from '../../../src/server/predict/model-cache.ts';
import { warmUp } from '../../../src/server/warm-up.ts';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../../support/folder.ts';
import { history, homeWith } from '../../support/service/history.ts';
import { ownTrainedHome, serving, trainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';

slow('a model in use keeps predicting after its report is retrained, and is unloaded on release', async t => {
  const home = await ownTrainedHome(t);
  const models = new ModelCache(home);
  const { predictor, release } = await models.hold('one');
  const columns = [[25.5], [1], [3]];
  const before = predictColumns(predictor.model.engine, columns);
  const { historyFile } = await homeWith(history({ rows: 200, seed: 9 }));
  await trainReport({ historyFile, predict: 'outcome', home, id: 'one', ifExists: 'replace' });
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
  await writeReport(home, {
    report: { ...(await readReport(home, 'one')), id: 'three' },
    model: await readFile(join(reportFolder(home, 'one'), 'model.zip')),
    testingResults: Buffer.from('a\n'),
  });
  const roomy = new ModelCache(home);
  const { bytes } = (await roomy.predictor('one')).model;
  assert.ok(bytes > 0);
  const models = new ModelCache(home, 2.5 * bytes);
  const first = await models.predictor('one');
  await models.predictor('two');
  assert.equal(models.loaded, 2);
  assert.equal(await models.predictor('one'), first);
  await models.predictor('three');
  await turn();
  assert.equal(models.loaded, 2);
  assert.equal(await models.predictor('one'), first);
  const tiny = new ModelCache(home, 1);
  await tiny.predictor('one');
  await tiny.predictor('two');
  await turn();
  assert.equal(tiny.loaded, 1);
  for (const each of [roomy, models, tiny]) each.close();
});

/** Longer than any test. */
const NEVER_MS = 3_600_000;

function cacheOf(t: TestContext, home: string, maxBytes?: number): ModelCache {
  const models = new ModelCache(home, maxBytes);
  t.after(() => models.close());
  return models;
}

const sums = (home: string, id: string): string => join(reportFolder(home, id), 'SHA256SUMS');

test('models are loaded before they are used, those of the reports that were trained last first', async t => {
  const home = await ownTrainedHome(t);
  await utimes(sums(home, 'one'), 1_000, 1_000);
  const models = cacheOf(t, home);
  assert.deepEqual(await preloadModels(home, models, NEVER_MS), ['two', 'one']);
  assert.equal(models.loaded, 2);
});

test('a damaged report does not keep others from being loaded', async t => {
  const home = await ownTrainedHome(t);
  await writeFile(sums(home, 'two'), '');
  assert.deepEqual(await preloadModels(home, cacheOf(t, home), NEVER_MS), ['one']);
});

test('only half of the memory for models is filled, so that no model drops another one', async t => {
  const home = await ownTrainedHome(t);
  const models = cacheOf(t, home, 1);
  assert.equal((await preloadModels(home, models, NEVER_MS)).length, 1);
  assert.equal(models.loaded, 1);
});

test('loading ends in time, and without reports there is nothing to load', async t => {
  const home = await ownTrainedHome(t);
  assert.ok((await preloadModels(home, cacheOf(t, home), 0)).length < 2);
  const empty = await newFolder(t);
  assert.deepEqual(await preloadModels(empty, cacheOf(t, empty), NEVER_MS), []);
});

test('a service starts with its models in memory', async t => {
  const { url } = await serving(t, { metrics: true, preloadMs: 3_600_000 });
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^rowcast_reports_loaded 2$/m);
});

test('warming up predicts with a report', async () => {
  assert.ok((await warmUp(await trainedHome(), 100)) > 0);
});

test('warming up ends without reports', async t => {
  assert.equal(await warmUp(await newFolder(t), 100), 0);
});
