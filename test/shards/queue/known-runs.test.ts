import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { Interrupted } from '../../../src/base/interrupted.ts';
import { openFolder, PLAN } from '../../../src/shards/folder/names.ts';
import { KnownRuns } from '../../../src/shards/queue/known-runs.ts';
import { queuedRun } from '../../../src/shards/queue/shard-queue.ts';
import { mountDisk, noSmallDisk, unmountDisk } from '../../cluster/harness/small-disk.ts';
import { newFolder } from '../../support/folder.ts';

const plan = {
  format: 1,
  id: 'the-plan',
  version: '0',
  service: 'local',
  report: { id: 'one', hash: '' },
  options: {},
  settings: {},
  shard_bytes: 1 << 20,
  files: [],
  unchanged: [],
  ledger: null,
  trace: '',
};

async function plannedRun(path: string) {
  const folder = openFolder(path);
  await folder.prepare();
  await folder.create(PLAN, JSON.stringify(plan));
  return { folder, run: queuedRun(folder, plan) };
}

describe('the runs that a worker of a queue knows', () => {
  it('have work while a shard may be left, and none once they were refused, until later', async t => {
    const { run } = await plannedRun(await newFolder(t));
    const runs = new KnownRuns();
    assert.equal(await runs.hasWork(run), true);
    const error = new RowcastError('no_such_file', 'no such file');
    assert.equal(runs.refuse(run, error).isNew, true);
    assert.equal(runs.refuse(run, error).isNew, false);
    assert.equal(await runs.hasWork(run), false);
    assert.equal(runs.refusal, error);
    runs.accept(run);
    assert.equal(runs.refusal, undefined);
    assert.equal(await runs.hasWork(run), true);
  });

  it('are refused for what concerns them only', async t => {
    const { run } = await plannedRun(await newFolder(t));
    const runs = new KnownRuns();
    for (const error of [new TypeError('a bug'), new Interrupted(undefined)])
      assert.throws(() => runs.refuse(run, error), error);
    const denied = Object.assign(new Error('EACCES: permission denied, open'), {
      code: 'EACCES',
      syscall: 'open',
    });
    assert.equal(runs.refuse(run, denied).refusal.code, 'unwritable_output');
  });

  it('are removed if their folder was seen and is gone, or nobody has asked for them for a day', async t => {
    const { folder, run } = await plannedRun(await newFolder(t));
    const [seeing, blind] = [new KnownRuns(), new KnownRuns()];
    await seeing.hasWork(run);
    assert.equal(await seeing.isRemoved(run), false);
    await rm(folder.path, { recursive: true });
    await assert.rejects(blind.hasWork(run), { code: 'no_plan' });
    assert.equal(await seeing.isRemoved(run), true);
    assert.equal(await blind.isRemoved(run), false);
    assert.equal(await blind.isRemoved({ ...run, announced: Date.now() - 25 * 3_600_000 }), true);
  });

  it('are not removed because their disk is not mounted any more', { skip: noSmallDisk }, async t => {
    const disk = await newFolder(t);
    mountDisk(disk, '1m');
    const { run } = await plannedRun(join(disk, 'out.csv.shards')).catch(error => {
      unmountDisk(disk);
      throw error;
    });
    const runs = new KnownRuns();
    await runs.hasWork(run).finally(() => unmountDisk(disk));
    await assert.rejects(runs.hasWork(run), { code: 'no_plan' });
    assert.equal(await runs.isRemoved(run), false);
    assert.equal(await runs.isRemoved({ ...run, announced: 0 }), true);
  });

  it('are forgotten when they are no longer in the queue, unless this worker has to say that it refused them', async t => {
    const [{ run }, { run: refused }] = [
      await plannedRun(await newFolder(t)),
      await plannedRun(await newFolder(t)),
    ];
    const runs = new KnownRuns();
    const known = runs.of(run);
    runs.refuse(refused, new RowcastError('no_such_file', 'no such file'));
    runs.keep([run]);
    assert.equal(runs.of(run), known);
    runs.keep([]);
    assert.notEqual(runs.of(run), known);
    assert.equal(runs.refusal?.code, 'no_such_file');
  });

  it('are those of their plan', async t => {
    const { run } = await plannedRun(await newFolder(t));
    await assert.rejects(new KnownRuns().hasWork({ ...run, plan: 'another' }), /the plan of another run/);
  });
});
