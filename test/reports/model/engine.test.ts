import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine } from '../../../src/reports/model/engine.ts';

test('a file that is not a model is a failure with a reason', async () => {
  const engine = await loadEngine();
  await assert.rejects(engine.load(Buffer.from('no zip')), { code: 'engine_failed' });
});

test('loading the engine leaves the handlers of fatal errors as they were', async () => {
  const before = process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection');
  await loadEngine();
  assert.equal(
    process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection'),
    before,
  );
});
