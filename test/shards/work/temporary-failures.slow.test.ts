import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { MAX_ATTEMPTS } from '../../../src/shards/folder/next-attempt.ts';
import { fillDisk, mountDisk, noSmallDisk, unmountDisk } from '../../cluster/harness/small-disk.ts';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { csv } from '../../support/scoring/files.ts';
import { send, startStub } from '../../support/stub/service.ts';

/** A planned run of one shard, and a service that is down or not. */
async function newRun(t: TestContext) {
  let isDown = false;
  const { env } = await startStub(t, {
    report: { columns: [{ name: 'id' }, { name: 'amount' }], classes: ['no', 'yes'] },
    behave({ response }) {
      if (isDown) send(response, 503, {});
      return isDown;
    },
  });
  const cwd = await newFolder(t, { 'in.csv': csv(100) });
  mkdirSync(join(cwd, 'disk'));
  const run = async (code: number, ...args: string[]): Promise<string> => {
    const ended = await rowcast(args, { cwd, env });
    assert.equal(ended.code, code, ended.stderr);
    return ended.stderr;
  };
  return {
    cwd,
    run,
    plan: () => run(0, 'plan', 'in.csv', '--report', 'r', '-o', 'out.csv', '--shards', 'disk/shards'),
    setDown(down: boolean) {
      isDown = down;
    },
  };
}

describe('a shard is not given up', () => {
  it('because the service is down', async t => {
    const { run, plan, setDown } = await newRun(t);
    await plan();
    setDown(true);
    for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++)
      assert.match(await run(75, 'work', 'disk/shards', '--max-outage', '100ms'), /responded with 503/);
    setDown(false);
    await run(0, 'work', 'disk/shards');
    await run(0, 'assemble', 'disk/shards');
  });

  it('because the disk is full', { skip: noSmallDisk }, async t => {
    const { cwd, run, plan } = await newRun(t);
    const disk = join(cwd, 'disk');
    mountDisk(disk, '2m');
    try {
      await plan();
      const free = fillDisk(disk);
      for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++)
        assert.match(await run(75, 'work', 'disk/shards'), /\[disk_full\]/);
      free();
      await run(0, 'work', 'disk/shards');
      await run(0, 'assemble', 'disk/shards');
    } finally {
      unmountDisk(disk);
    }
  });
});
