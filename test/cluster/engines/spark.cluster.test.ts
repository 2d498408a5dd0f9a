import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isRunning, until } from '../support/processes.ts';
import { folderOf, missingPrograms } from '../support/programs.ts';
import { newJob } from '../support/sharded-job.ts';

const install =
  'pip install -r examples/cluster/spark/requirements.txt in a venv whose bin is in PATH; Java 17';

async function start(t: TestContext, master: string) {
  const job = await newJob(t, 'spark');
  // spark-submit takes the first python3, which must be that of its venv.
  job.env.PATH = [folderOf('spark-submit'), job.env.PATH].join(delimiter);
  Object.assign(job.env, { SPARK_LOCAL_IP: '127.0.0.1', RETRY_SECONDS: '1' });
  const local = ['--conf', 'spark.ui.enabled=false', '--conf', 'spark.driver.host=127.0.0.1'];
  const ended = job.run('spark-submit', '--master', master, ...local, 'example/score_shards.py', ...job.plan);
  return { job, ended };
}

describe('the example for Spark', {
  skip: missingPrograms(['spark-submit', 'java'], install),
  timeout: 600_000,
}, () => {
  it('retries a worker that is killed', async t => {
    const { job, ended } = await start(t, 'local[2,4]');
    process.kill(await until('a worker of shard 1', () => job.holderOf(1), ended), 'SIGKILL');
    await until('a second attempt', () => job.attemptsOf(1) === 2, ended);
    const { code, output } = await ended;
    assert.equal(code, 1, output);
    await job.checkResult();
  });

  it('resumes the shards of an executor that is killed, whose workers end with it', async t => {
    const { job, ended } = await start(t, 'local-cluster[2,1,1024]');
    const worker = await until('a worker of shard 0', () => job.holderOf(0), ended);
    const executor = await until('its executor', () => executorOf(worker));
    process.kill(executor, 'SIGKILL');
    await until('the end of the worker', () => !isRunning(worker));
    const { code, output } = await ended;
    assert.equal(code, 1, output);
    await job.checkResult();
  });
});

/** The Java process above a process. */
function executorOf(pid: number): number | undefined {
  for (let at = pid; at > 1; ) {
    const stat = readFileSync(`/proc/${at}/stat`, 'utf8');
    if (/CoarseGrainedExecutorBackend/.test(readFileSync(`/proc/${at}/cmdline`, 'utf8'))) return at;
    at = Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ', 1)[0]);
  }
  return undefined;
}
