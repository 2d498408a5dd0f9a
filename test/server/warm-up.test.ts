import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUp } from '../../src/server/warm-up.ts';
import { newFolder } from '../support/folder.ts';
import { serving, trainedHome } from '../support/service/serving.ts';

test('a service starts with its models in memory', async t => {
  const { url } = await serving(t, { metrics: true, preloadMs: 3_600_000 });
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^rowcast_reports_loaded 2$/m);
});

test('warming up ends, with and without reports', async t => {
  await warmUp(await trainedHome(), 100);
  await warmUp(await newFolder(t), 100);
});
