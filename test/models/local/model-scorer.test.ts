import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import { newFolder } from '../../support/folder.ts';
import { trainedHome } from '../../support/service/serving.ts';

it('scores several runs with the model that was described for them, also when the report is replaced meanwhile', async t => {
  const home = await newFolder(t);
  await cp(await trainedHome(), home, { recursive: true });
  const scorer = await ModelScorer.open({ home });
  t.after(() => scorer.close());
  const described = await scorer.describe('one');
  await rm(join(home, 'reports', 'one'), { recursive: true });
  const { scorer: run } = scorer.forRun('one');
  assert.equal(await run.describe('one'), described);
  assert.deepEqual(run.learnedColumns?.('one'), scorer.learnedColumns('one'));
  await assert.rejects(scorer.forRun().scorer.describe('one'), { code: 'no_such_report' });
});
