import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { loadReportModel } from '../../../src/models/store/report-model.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import { uploadScorer } from '../../../src/server/batch-predict/upload-scorer.ts';
import { ServiceThreads } from '../../../src/server/threads/service-threads.ts';
import { read } from '../../support/csv/read.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { header, row } from '../../support/service/uploads.ts';

test('a batch that waits for a thread is not scored once its upload has ended', async t => {
  const model = await loadReportModel(await trainedHome(), 'one');
  const threads = new ServiceThreads({ count: 1, onDeath: failure => assert.fail(failure) });
  t.after(() => threads.end());
  const turns = { key: 'k', pace: async () => {}, recheck: async () => {}, own: async () => {} };
  const { head, batches } = read(`${header}\n${`${row}\n`.repeat(3000)}`, {
    batchRows: 3000,
    chunk: 1 << 16,
  });
  const [batch] = batches;
  assert.ok(batch);
  const layout = new CsvLayout(head);
  const predictionType = { kind: 'distribution', classes: model.classes } as const;
  const open = () =>
    uploadScorer({ model, threads, turns, batchRows: 3000 }).open({
      report: 'one',
      layout,
      features: chooseFeatures(layout, {}, {}, 'test.csv'),
      nulls: [],
      batchBytes: 1 << 20,
      appended: { predictionType, prefix: 'probability', prediction: undefined },
    });
  const uploads = Array.from({ length: 5 }, open);
  const never = new AbortController().signal;
  const attempts = uploads.map(upload => upload.tryPart({ batch, predictionType }, never));
  uploads.at(-1)?.close?.();
  const ends = await Promise.allSettled(attempts);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
});
