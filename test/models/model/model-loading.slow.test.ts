import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { writeReport } from '../../../src/models/store/write-report.ts';
import { sharedFolder } from '../../support/folder.ts';
import { get, post, problemOf } from '../../support/service/client.ts';
import { describedChain, describedTrees, modelFile } from '../../support/service/model-files.ts';
import { reportOf } from '../../support/service/report.ts';
import { serving } from '../../support/service/serving.ts';

/** As many as in models of a hundred classes. */
const NODES = 500_001;

let home = '';
before(async () => {
  home = await sharedFolder();
  const cyclic = describedChain(NODES);
  cyclic.predictor.right[NODES - 3] = 0;
  const models = { large: describedChain(NODES), small: describedTrees(), cyclic };
  for (const [id, described] of Object.entries(models))
    await writeReport(home, {
      report: reportOf(id),
      model: await modelFile(described),
      testingResults: Buffer.from('a\n'),
    });
});

test('while a large model is loaded, requests for other reports are handled', async t => {
  const target = await serving(t, { home });
  const events: string[] = [];
  const ask = async (id: string) => {
    const answer = await post(target, '/user/persona', { id, features: { amount: 1 } });
    events.push(`${id} ${answer.status}`);
  };
  const large = ask('large');
  const [worker] = (await Promise.race([once(process, 'worker'), large])) as [Worker]; // what `worker` passes
  worker.once('exit', () => events.push('thread ended'));
  await ask('small');
  await get(target, '/healthz');
  await large;
  assert.deepEqual(events.slice(0, 1), ['small 200'], events.join());
  assert.ok(events.includes('large 200'), events.join());
});

test('a large damaged model is refused, and other reports are still served', async t => {
  const target = await serving(t, { home });
  const ask = (id: string) => post(target, '/user/persona', { id, features: { amount: 1 } });
  assert.equal(await problemOf(await ask('cyclic')), '410 damaged_report');
  assert.equal((await ask('small')).status, 200);
});
