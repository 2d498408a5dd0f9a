import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import { loadReport } from '../../../src/models/store/report-model.ts';
import { scoreUpload } from '../../../src/server/batch-predict/upload-scorer.ts';
import { workLimits } from '../../../src/server/predict/predictor.ts';
import { ServiceThreads } from '../../../src/server/threads/service-threads.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { header, row, wide } from '../../support/service/uploads.ts';

// A signal keeps an entry for each one that was combined with it, for as long as it lives.
describe('signals are combined once for an input, not for each of its batches', () => {
  it('in a run with a local report', async t => {
    const folder = await newFolder(t);
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    await writeFile(input, `${header}\n${`${row}\n`.repeat(200)}`);
    const scorer = await ModelScorer.open({ home: await trainedHome() });
    t.after(() => scorer.close());
    const any = t.mock.method(AbortSignal, 'any');
    await score(job({ input, output, report: 'one', batchRows: 10 }), scorer);
    assert.equal(scorer.statistics.calls, 20);
    assert.equal(any.mock.callCount(), 1);
  });

  it('in an upload to the service', async t => {
    const { model, report } = await loadReport(await trainedHome(), 'one');
    const threads = new ServiceThreads(failure => assert.fail(failure), 1);
    t.after(() => threads.end());
    const any = t.mock.method(AbortSignal, 'any');
    let batches = 0;
    const limits = { recordBytes: 1 << 20, columns: 100 };
    const turns = { key: 'k', pace: async () => {}, recheck: async () => {}, own: async () => {} };
    const options = { limits, batchRows: 100, turns, threads };
    const { pieces } = await scoreUpload(
      { bytes: wide.rows(1000), name: 'upload.csv' },
      { model, report, work: workLimits(model) },
      options,
    );
    for await (const { endsBatch } of pieces) batches += endsBatch ? 1 : 0;
    assert.ok(batches >= 10);
    assert.equal(threads.running, 1);
    assert.equal(any.mock.callCount(), 1);
  });
});
