import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine } from '../../../src/reports/model/engine.ts';

test('a file that is not a model is an error with a reason', async () => {
  const engine = await loadEngine();
  await assert.rejects(engine.load(Buffer.from('not a zip')), { code: 'engine_failed' });
});

test('loading the engine does not change the handlers of fatal errors', async () => {
  const before = process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection');
  await loadEngine();
  assert.equal(
    process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection'),
    before,
  );
});
