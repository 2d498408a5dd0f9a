import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { trainedHome } from '../support/service/serving.ts';
import { hardCsv } from '../support/shards/hard-csv.ts';
import { type Machine, newNetworkFolder, noNetworkFolder } from './support/network-folder.ts';
import { until } from './support/processes.ts';

const common = ['--report', 'one', '--allow-missing'];
/** The pace of all workers together: each is at work for some seconds. */
const pace = ['--max-rows-per-second', '4000', '--batch-rows', '250', '--threads', '1'];

/** A planned run, and machines for it. */
async function planned(t: TestContext) {
  const { store, machine } = await newNetworkFolder(t, { ROWCAST_HOME: await trainedHome() });
  await writeFile(join(store, 'in.csv'), hardCsv(6 << 20));
  const run = async (...args: string[]): Promise<void> => {
    const own = machine(...args);
    const code = await own.ended;
    assert.ok(code === 0 || code === 1, own.said);
  };
  await run('plan', 'in.csv', ...common, '-o', 'out.csv', '--shards', 'dir', '--shard-bytes', '1MiB');
  const work = async (): Promise<Machine> => {
    const worker = machine('work', 'dir', ...pace);
    await until('a shard', () => worker.said.includes('from row'), ended(worker));
    return worker;
  };
  /** Joins the parts, and compares with one process. */
  const check = async (): Promise<void> => {
    await run('assemble', 'dir');
    await run('score', 'in.csv', ...common, '-o', 'one.csv');
    const names = ['in.csv', 'one.csv', 'one.csv.rejects', 'out.csv', 'out.csv.rejects'];
    assert.deepEqual((await readdir(store)).sort(), names);
    for (const ending of ['.csv', '.csv.rejects']) {
      const [ours, one] = [
        await readFile(join(store, `out${ending}`)),
        await readFile(join(store, `one${ending}`)),
      ];
      assert.ok(ours.equals(one), `out${ending} has other bytes`);
    }
  };
  return { work, check };
}

const ended = async (worker: Machine) => ({ code: await worker.ended, output: worker.said });

describe('machines that share the folder of a run by network', { skip: noNetworkFolder }, () => {
  it('give the bytes of one process although one is switched off and the network of another stalls', async t => {
    const { work, check } = await planned(t);
    const [first, second, third] = [await work(), await work(), await work()];
    first.switchOff();
    second.signalMount('SIGSTOP');
    assert.equal(await third.ended, 0, third.said); // with the shards of both
    second.signalMount('SIGCONT');
    assert.equal(await second.ended, 0, second.said);
    assert.match(second.said, /another worker has taken it over/);
    await check();
  });

  it('go on without one that has lost its mount, which says that it may be tried again', async t => {
    const { work, check } = await planned(t);
    const [first, second] = [await work(), await work()];
    first.signalMount('SIGKILL');
    assert.equal(await first.ended, 75, first.said);
    assert.match(first.said, /ENOTCONN/);
    assert.equal(await second.ended, 0, second.said);
    await check();
  });
});
