import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BatchMemory } from '../../../../src/base/kernel/batch-memory.ts';
import { sharedModel } from '../../../../src/models/local/threads/thread-messages.ts';
import { engineOf } from '../../../../src/models/model/engine.ts';
import { readLocalReport } from '../../../../src/models/store/report-model.ts';
import { trainedHome } from '../../../support/service/serving.ts';

/** The memory of all arrays in plain data. */
function memoryOf(data: unknown): ArrayBufferLike[] {
  if (ArrayBuffer.isView(data)) return [data.buffer];
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(memoryOf) : [];
}

it('a model for threads is in memory that they share, and predicts the same', async () => {
  const { model } = await readLocalReport(await trainedHome(), 'one');
  const shared = sharedModel(model);
  const memory = memoryOf(shared);
  assert.ok(memory.length > 1);
  for (const own of memory) assert.ok(own instanceof SharedArrayBuffer);
  const clone = structuredClone(shared);
  assert.equal(memoryOf(clone).length, memory.length);

  const values = Float64Array.from(
    { length: 500 * model.columns.length },
    (_, i) => [0, 1, 2, 35.5, NaN][i % 7] ?? i % 40,
  );
  const [own, inThread] = [
    engineOf(model.predictor, { memory: BatchMemory.create() }),
    engineOf(clone.model.predictor, { memory: BatchMemory.create(), prepared: clone.prepared }),
  ];
  assert.deepEqual(inThread.predict(values, 500), own.predict(values, 500));
});
