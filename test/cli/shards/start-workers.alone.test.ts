import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startWorkers } from '../../../src/cli/shards/start-workers.ts';

it('workers that the system cannot start count as ended for a passing reason', async t => {
  const { execPath } = process;
  t.after(() => {
    process.execPath = execPath;
  });
  process.execPath = '/no-such-program';
  const reasons: unknown[] = [];
  const workers = startWorkers(['folder'], 2, {
    traceparent: undefined,
    stop: new AbortController().signal,
    onFailed: ({ code }) => reasons.push(code),
  });
  assert.equal(workers.running, 2);
  assert.deepEqual(await workers.ended, [75, 75]);
  assert.deepEqual(reasons, ['ENOENT', 'ENOENT']);
  assert.equal(workers.running, 0);
  workers.stop();
});
