import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openFolder, PLAN } from '../../../src/shards/folder/names.ts';
import { readPlan } from '../../../src/shards/folder/read-run.ts';
import { WorkerPace } from '../../../src/shards/pace/pace-member.ts';
import { thisProcess } from '../../../src/storage/local/locks/lock-holder.ts';
import { newFolder } from '../../support/folder.ts';

it('a folder of shards that is discarded leaves other files where they are', async t => {
  const path = await newFolder(t);
  const folder = openFolder(path);
  await folder.prepare();
  await folder.create(PLAN, '{}');
  await folder.create('leases/0.json', '{}');
  for (const name of ['in.csv', 'plan.json.0a']) await writeFile(join(path, name), '');
  await folder.discard(PLAN);
  assert.deepEqual(await readdir(path), ['in.csv']);
});

describe('a folder that cannot be read', () => {
  it('is an error that says so, and no bug', async t => {
    const folder = openFolder(await newFolder(t));
    await mkdir(join(folder.path, PLAN));
    await assert.rejects(readPlan(folder), {
      code: 'unreadable_input',
      severity: 'stopped',
      message: 'cannot read the folder of the shards: it is a folder (EISDIR)',
    });
    await writeFile(join(folder.path, 'done'), '');
    await assert.rejects(folder.list('done'), { code: 'unreadable_input' });
  });

  it('ends a worker that would wait for its share of the pace for ever', async t => {
    const folder = openFolder(await newFolder(t));
    await folder.prepare();
    await rm(join(folder.path, 'workers'), { recursive: true });
    await writeFile(join(folder.path, 'workers'), '');
    const given = { requests: 1, rows: null };
    const pace = new WorkerPace({ folder, worker: 'one', process: thisProcess(), given });
    for (let i = 0; i < 2; i++) await assert.rejects(pace.join(), { name: 'RowcastError' });
    await pace.leave();
  });
});
