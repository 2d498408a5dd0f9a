import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { descendantsOf, isRunning, until } from '../support/processes.ts';
import { missingPrograms } from '../support/programs.ts';
import { newJob } from '../support/sharded-job.ts';

/** Starts the example. @param options of the workers */
async function start(t: TestContext, options: NodeJS.ProcessEnv = {}) {
  const job = await newJob(t, 'parallel');
  Object.assign(job.env, { RETRY_SECONDS: '1', ...options });
  const child = spawn('example/score.sh', job.plan, { cwd: job.folder, env: job.env });
  t.after(() => {
    for (const { pid } of descendantsOf(child.pid ?? 0)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  });
  return { job, child };
}

describe('the example for GNU parallel', {
  skip: missingPrograms(['parallel'], 'apt-get install parallel'),
  timeout: 600_000,
}, () => {
  it('retries a worker that is killed', async t => {
    const { job, child } = await start(t);
    const holder = await until('a worker of shard 1', () => job.holderOf(1));
    process.kill(holder, 'SIGKILL');
    const [code] = await once(child, 'exit');
    assert.equal(code, 1, 'some rows are rejected');
    await job.checkResult();
  });

  it('resumes after parallel itself is killed, next to the workers that it left behind', async t => {
    // Slow enough that the second run meets its workers.
    const { job, child } = await start(t, { WORK_OPTIONS: '--max-rows-per-second 600 --batch-rows 100' });
    const holder = await until('a worker of shard 0', () => job.holderOf(0));
    const parallel = descendantsOf(child.pid ?? 0).find(({ command }) => /perl.*parallel/.test(command));
    assert.ok(parallel, 'parallel is running');
    process.kill(parallel.pid, 'SIGKILL');
    const [code] = await once(child, 'exit');
    assert.equal(code, 75, 'shards are missing');
    assert.ok(isRunning(holder));
    const again = await job.run('example/score.sh', ...job.plan);
    assert.equal(again.code, 1, again.output);
    assert.match(again.output, /shard_in_progress/);
    await job.checkResult();
  });
});
