import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Description } from '../../../src/base/contract/schemas.ts';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { ModelScorer } from '../../../src/models/local/model-scorer.ts';
import { loadReport } from '../../../src/models/store/report-model.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import { uploadScorer } from '../../../src/server/batch-predict/upload-scorer.ts';
import { ServiceThreads } from '../../../src/server/threads/service-threads.ts';
import { read } from '../../support/csv/read.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { header, row } from '../../support/service/uploads.ts';

const turns = { key: 'k', pace: async () => {}, recheck: async () => {}, own: async () => {} };

test('a batch that waits for a thread is not scored once its upload has ended', async t => {
  const { model, report } = await loadReport(await trainedHome(), 'one');
  const threads = new ServiceThreads(failure => assert.fail(failure), 1);
  t.after(() => threads.end());
  const { head, batches } = read(`${header}\n${`${row}\n`.repeat(3000)}`, {
    batchRows: 3000,
    chunk: 1 << 16,
  });
  const [batch] = batches;
  assert.ok(batch);
  const layout = csvLayout({ header: head });
  const { prediction: predictionType } = model;
  const open = () =>
    uploadScorer({ model, report, threads, turns, batchRows: 3000 }).open({
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

test('an upload is judged by what the report says, as a run of the command is', async t => {
  const home = await trainedHome();
  const { model, report } = await loadReport(home, 'one');
  t.after(() => model.engine.unload());
  const threads = new ServiceThreads(failure => assert.fail(failure), 1);
  t.after(() => threads.end());
  const own = await ModelScorer.open({ home, threads: 1 });
  t.after(() => own.close());
  const described: Description = await own.describe('one');
  const { columns, drivers = [], profile, nulls } = described;
  const ofUpload = await uploadScorer({ model, report, threads, turns, batchRows: 100 }).describe('one');
  assert.ok(drivers.length > 0 && profile !== undefined);
  assert.deepEqual(
    [ofUpload.columns, ofUpload.drivers, ofUpload.profile, ofUpload.nulls],
    [columns, drivers, profile, nulls],
  );
});
