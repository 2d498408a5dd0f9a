import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as z from 'zod';
import { batchResponse } from '../../src/contract/schemas.ts';
import { toSinglePrecision } from '../../src/reports/model/single-precision.ts';
import { loadReportModel } from '../../src/reports/report-model.ts';
import { listReports } from '../../src/reports/report-store.ts';
import { PersonaWork } from '../../src/server/predict/persona-work.ts';
import { predictorOf } from '../../src/server/predict/predictor.ts';
import { sharedFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';

/** A report in model format 1 and its predictions, both written by an earlier version of rowcast. */
const folder = join(root, 'test/reports/made-before');

type Prediction = z.infer<typeof batchResponse>['predictions'][number];

/** The earlier version wrote all the digits of the doubles that the engine's float32 numbers were converted to. */
const inSinglePrecision = (prediction: Prediction): Prediction =>
  'probabilities' in prediction
    ? {
        probabilities: Object.fromEntries(
          Object.entries(prediction.probabilities).map(([name, p]) => [name, toSinglePrecision(p)]),
        ),
      }
    : prediction;

test('a report of an earlier version loads and gives the same predictions', async () => {
  const home = await sharedFolder();
  await cp(folder, join(home, 'reports', 'made-before'), { recursive: true });
  const [listed] = await listReports(home);
  assert.equal(listed?.damage, undefined);
  const { personas, predictions } = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8'));
  const model = await loadReportModel(home, 'made-before');
  const work = new PersonaWork(Buffer.from(JSON.stringify({ id: 'made-before', personas })), 'personas');
  const { body } = work.next(predictorOf(model));
  assert.deepEqual(
    batchResponse.parse(JSON.parse(String(body))).predictions,
    batchResponse.shape.predictions.parse(predictions).map(inSinglePrecision),
  );
});
