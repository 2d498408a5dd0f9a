import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { free } from '../../../../src/models/local/threads/transfer.ts';

it('memory is freed, although nothing is collected, unless others use it too', async () => {
  const [own, shared] = [Buffer.alloc(1 << 24, 1), Buffer.alloc(1 << 24, 1)];
  const before = process.memoryUsage().arrayBuffers;
  free(own);
  free(shared.subarray(1));
  const isFreed = (): boolean => before - process.memoryUsage().arrayBuffers >= 1 << 24;
  // The first time, the port is not closed yet.
  for (let turns = 0; turns < 1000 && !isFreed(); turns++) await sleep(10);
  assert.ok(isFreed());
  assert.deepEqual([own.length, shared.length], [0, 1 << 24]);
  // It may be freed again.
  free(own);
  free(new Float64Array());
});
