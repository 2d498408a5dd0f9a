import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import threads, { type Worker } from 'node:worker_threads';
import { newFolder } from '../../../support/folder.ts';
import { job } from '../../../support/scoring/job.ts';
import { score } from '../../../support/scoring/score.ts';
import { csv, history } from '../../../support/service/history.ts';
import { trainedHome } from '../../../support/service/serving.ts';

/** The threads that were started, in order. */
const started: Worker[] = [];
threads.Worker = class extends threads.Worker {
  constructor(...own: ConstructorParameters<typeof threads.Worker>) {
    super(...own);
    started.push(this);
  }
};
syncBuiltinESMExports();
const { ModelScorer } = await import('../../../../src/models/local/model-scorer.ts');

/** Runs that share a scorer, over more rows than one batch has. */
async function runsOf(t: TestContext) {
  const scorer = await ModelScorer.open({ home: await trainedHome(), threads: 1 });
  t.after(() => scorer.close());
  const folder = await newFolder(t);
  const input = join(folder, 'personas.csv');
  await writeFile(input, csv(history({ rows: 6_000 })));
  return async (name: string): Promise<string> => {
    const output = join(folder, name);
    await score(job({ input, output, report: 'one', restart: true }), scorer.forRun().scorer);
    return readFile(output, 'utf8');
  };
}

describe('a scoring thread that has died', () => {
  it('is replaced in the next run', async t => {
    const run = await runsOf(t);
    const before = await run('before.csv');
    const first = started.at(-1);
    assert.ok(first);
    await first.terminate();
    const count = started.length;
    assert.equal(await run('after.csv'), before);
    assert.equal(await run('later.csv'), before);
    assert.equal(started.length, count + 1);
  });

  it('while it started stops the run, and is replaced in the next one', async t => {
    const run = await runsOf(t);
    const count = started.length;
    const failed = assert.rejects(run('failed.csv'), { code: 'service_died' });
    while (started.length === count) await new Promise(setImmediate);
    await started.at(-1)?.terminate();
    await failed;
    assert.ok((await run('after.csv')).length > 0);
  });
});
