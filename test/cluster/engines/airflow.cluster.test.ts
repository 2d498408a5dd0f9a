import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../support/processes.ts';
import { missingPrograms } from '../support/programs.ts';
import { newJob, type ShardedJob } from '../support/sharded-job.ts';

const install = 'pip install -r examples/cluster/airflow/requirements.txt in a venv whose bin is in PATH';

/** A folder with the example, and an empty database of Airflow. */
async function prepare(t: TestContext): Promise<ShardedJob> {
  const job = await newJob(t, 'airflow');
  const { folder, env } = job;
  await rename(join(folder, 'example'), join(folder, 'dags'));
  Object.assign(env, {
    AIRFLOW_HOME: join(folder, 'airflow'),
    AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    AIRFLOW__CORE__DAGS_FOLDER: join(folder, 'dags'),
    CHURN_FOLDER: folder,
    CHURN_OPTIONS: '--report r --allow-missing --shard-bytes 1MiB',
    CHURN_WORK_OPTIONS: env.WORK_OPTIONS,
    CHURN_RETRY_SECONDS: '1',
  });
  const { code, output } = await job.run('airflow', 'db', 'migrate');
  assert.equal(code, 0, output);
  return job;
}

const runDag = (job: ShardedJob, ...options: string[]) =>
  job.run('airflow', 'dags', 'test', ...options, 'score_shards');

describe('the example for Airflow', {
  skip: missingPrograms(['airflow'], install),
  timeout: 900_000,
}, () => {
  it('retries a worker that is killed, fails at once when the run is cancelled, and resumes', async t => {
    const job = await prepare(t);
    const first = runDag(job);
    process.kill(await until('a worker of shard 0', () => job.holderOf(0), first), 'SIGKILL');
    await until('a worker of shard 2', () => job.holderOf(2), first);
    await job.run('rowcast', 'cancel', job.shards);
    const { code, output } = await first;
    assert.equal(code, 1, output);
    assert.match(output, /exit code -9; the next attempt resumes/);
    assert.match(output, /exit code 3; the log says what to change/);
    assert.equal(job.attemptsOf(2), 1);
    const again = await runDag(job);
    assert.equal(again.code, 0, again.output);
    await job.checkResult();
  });

  it('fails if a shard only seems to be done', async t => {
    const job = await prepare(t);
    const { code, output } = await runDag(job, '--mark-success-pattern', 'work');
    assert.equal(code, 1, output);
    assert.match(output, /4 of 4 shards are not finished/);
    assert.ok(!existsSync(join(job.folder, 'scored.csv')));
  });
});
