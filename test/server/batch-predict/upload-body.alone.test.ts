import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { requireUploadRate } from '../../../src/server/batch-predict/upload-body.ts';

/** An upload whose body buffers a kilobyte, with a minimum rate of 1 KiB/s over a minute. */
function uploading(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const [payload, body] = [new PassThrough(), new PassThrough({ highWaterMark: 1024 })];
  const state = { error: '' };
  body.on('error', error => {
    state.error = error.message;
  });
  payload.pipe(body);
  const limits = { uploadBytesPerSecond: 1024, uploadRateMs: 60_000 };
  requireUploadRate(payload, body, limits, () => {});
  return {
    state,
    body,
    /** Sends this many bytes, and lets three seconds pass after they were read. */
    async send(bytes: number): Promise<void> {
      if (bytes > 0) payload.write(Buffer.alloc(bytes));
      await new Promise(setImmediate);
      t.mock.timers.tick(3_000);
      await new Promise(setImmediate);
    },
    end: () => payload.end(),
  };
}

const tooSlow = 'The upload was slower than 1024 bytes per second over 60 s.';

test('an upload below the minimum rate for a minute is aborted', async t => {
  const { state, body, send } = uploading(t);
  body.resume();
  for (let i = 0; i < 19; i++) await send(3 * 1024 - 1);
  assert.equal(state.error, '');
  await send(3 * 1024 - 1);
  assert.equal(state.error, tooSlow);
});

test('every minute counts, including one after a fast start', async t => {
  const { state, body, send } = uploading(t);
  body.resume();
  await send(1_000_000);
  for (let i = 0; i < 19; i++) await send(1);
  assert.equal(state.error, '');
  await send(1);
  assert.equal(state.error, tooSlow);
});

test('an upload at the minimum rate, with pauses of less than a minute, is not aborted', async t => {
  const { state, body, send } = uploading(t);
  body.resume();
  for (let i = 0; i < 100; i++) await send(i % 20 === 0 ? 60 * 1024 : 0);
  assert.equal(state.error, '');
});

test('time in which the service does not read does not count', async t => {
  const { state, body, send } = uploading(t);
  await send(10_000);
  for (let i = 0; i < 100; i++) await send(0);
  assert.equal(state.error, '');
  body.resume();
  for (let i = 0; i < 20; i++) await send(0);
  assert.equal(state.error, tooSlow);
});

test('an upload that has arrived completely is not aborted, however long it is processed', async t => {
  const { state, send, end } = uploading(t);
  await send(10);
  end();
  for (let i = 0; i < 100; i++) await send(0);
  assert.equal(state.error, '');
});
