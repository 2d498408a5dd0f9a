import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUp } from '../../src/server/warm-up.ts';
import { newFolder } from '../support/folder.ts';
import { serving, trainedHome } from '../support/service/serving.ts';

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
