import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { rowcast } from '../../support/rowcast.ts';
import { runProgram, until } from '../support/processes.ts';
import { missingPrograms } from '../support/programs.ts';
import { newJob, SHARDS, type ShardedJob } from '../support/sharded-job.ts';
import { MAX_ARRAY_SIZE, startSlurm } from './start-slurm.ts';

const skip =
  process.getuid?.() !== 0
    ? 'the daemons of Slurm start as root only'
    : missingPrograms(
        ['slurmctld', 'slurmd', 'sbatch', 'munged', 'setpriv'],
        'apt-get install --no-install-recommends slurmctld slurmd slurm-client munge',
      );

/** Submits the example. @returns the number of the job that assembles */
async function submit(t: TestContext): Promise<{ job: ShardedJob; assemble: string }> {
  const slurm = await startSlurm(t);
  const job = await newJob(t, 'slurm');
  Object.assign(job.env, slurm, { TASKS_AT_ONCE: '2' });
  const { code, output } = await job.run('example/submit.sh', ...job.plan);
  assert.equal(code, 0, output);
  return { job, assemble: output.trim() };
}

/** The state in which a job has ended, and its exit code. */
const endOf = (job: ShardedJob, number: string): Promise<string> =>
  until(`the end of job ${number}`, async () => {
    const { output } = await job.run('scontrol', 'show', 'job', number);
    return /JobState=((?:COMPLETED|FAILED|CANCELLED).*)/.exec(output)?.[1];
  });

const logOf = (job: ShardedJob, task: number): Promise<string> =>
  readFile(`${job.shards}.${task}.log`, 'utf8');

describe('the example for Slurm', { skip, timeout: 600_000 }, () => {
  it('requeues a task whose worker is killed, and joins its shards afterwards', async t => {
    assert.ok(SHARDS > MAX_ARRAY_SIZE, 'tasks have several shards');
    const { job, assemble } = await submit(t);
    const holder = await until('a worker of shard 2', () => job.holderOf(2));
    process.kill(holder, 'SIGKILL');
    await until('a second attempt', () => job.attemptsOf(2) === 2);
    // Rows are rejected, so joining ends with 1, which Slurm calls a failure.
    assert.match(await endOf(job, assemble), /^FAILED/);
    assert.match(await readFile(`${job.shards}.log`, 'utf8'), /rejected/);
    assert.match(await logOf(job, 1), /shard 2: from row \d+, attempt 2/);
    await job.checkResult();
  });

  it('requeues a task whose shard another worker has', async t => {
    const { job, assemble } = await submitNextToWorker(t);
    const last = { ...job.env, SLURM_ARRAY_TASK_ID: '0', SLURM_RESTART_COUNT: '5' };
    const given = await runProgram('example/work.sbatch', [job.shards, '1'], { cwd: job.folder, env: last });
    assert.match(given.output, /giving up after 5 restarts: exit code 75/);
    assert.equal(given.code, 1);
    assert.match(await endOf(job, assemble), /^FAILED/);
    assert.match(await logOf(job, 0), /another worker is scoring shard 0 \[shard_in_progress\]/);
    await job.checkResult();
  });

  it('ends with the shard that is missing, if a batch script is killed, and resumes when it is submitted again', async t => {
    const { job, assemble } = await submit(t);
    await until('a worker of shard 0', () => job.holderOf(0));
    const { output } = await job.run('scancel', '--signal=KILL', '--full', `${Number(assemble) - 1}_0`);
    assert.match(await endOf(job, assemble), /^FAILED/, output);
    assert.match(await readFile(`${job.shards}.log`, 'utf8'), /of 4 shards (is|are) not finished: 0/);
    assert.ok(!existsSync(join(job.folder, 'scored.csv')));
    const again = await job.run('example/submit.sh', ...job.plan);
    await endOf(job, again.output.trim());
    await job.checkResult();
  });
});

/** A worker that was started by hand has the first shard, and takes longer for it than a task waits. */
async function submitNextToWorker(t: TestContext): Promise<{ job: ShardedJob; assemble: string }> {
  const slurm = await startSlurm(t);
  const job = await newJob(t, 'slurm');
  Object.assign(job.env, slurm);
  const { env, folder } = job;
  const service = { ROWCAST_URL: env.ROWCAST_URL ?? '', ROWCAST_API_KEY: env.ROWCAST_API_KEY ?? '' };
  await rowcast(['plan', ...job.plan], { cwd: folder, env: service });
  const slow = ['--shard', '0', '--max-rows-per-second', '400', '--batch-rows', '100'];
  const worker = rowcast(['work', job.shards, ...slow], { cwd: folder, env: service });
  t.after(() => worker);
  await until('a worker of shard 0', () => job.holderOf(0));
  const { code, output } = await job.run('example/submit.sh', ...job.plan);
  assert.equal(code, 0, output);
  return { job, assemble: output.trim() };
}
