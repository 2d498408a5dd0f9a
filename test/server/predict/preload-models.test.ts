import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { reportFolder } from '../../../src/models/store/report-version.ts';
import { ModelCache, preloadModels } from '../../../src/server/predict/model-cache.ts';
import { newFolder } from '../../support/folder.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';

/** Longer than any test. */
const NEVER_MS = 3_600_000;

function cacheOf(t: TestContext, home: string, maxBytes?: number): ModelCache {
  const models = new ModelCache(home, maxBytes === undefined ? {} : { maxBytes });
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
