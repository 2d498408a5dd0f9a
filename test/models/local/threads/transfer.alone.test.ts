import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { free } from '../../../../src/models/local/threads/transfer.ts';

it('memory is freed at once, unless others use it too', async () => {
  // At first, the port is not closed yet.
  free(Buffer.alloc(1 << 16));
  await sleep(10);
  const [own, shared] = [Buffer.alloc(1 << 24, 1), Buffer.alloc(1 << 24, 1)];
  const before = process.memoryUsage().arrayBuffers;
  free(own);
  free(shared.subarray(1));
  assert.ok(before - process.memoryUsage().arrayBuffers >= 1 << 24);
  assert.deepEqual([own.length, shared.length], [0, 1 << 24]);
  // It may be freed again.
  free(own);
  free(new Float64Array());
});
