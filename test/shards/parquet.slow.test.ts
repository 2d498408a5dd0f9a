import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parquetOf } from '../support/parquet.ts';
import { exits, type Running, startRowcast } from '../support/rowcast.ts';
import { compareSingle } from '../support/shards/compare-single.ts';
import { largeRows } from '../support/shards/large-rows.ts';
import { planShards, run, type Sharded } from '../support/shards/sharded.ts';

const parquet = await parquetOf(largeRows(8_000), { groupRows: 1_000 });

/** Slow enough to be killed in the middle of a shard. */
const startWorker = ({ cwd, env, shards }: Sharded): Running =>
  startRowcast(
    ['work', shards.path, '--threads', '1', '--max-rows-per-second', '4000', '--batch-rows', '200'],
    {
      cwd,
      env,
    },
  );

describe('shards of Parquet', () => {
  it('leave what one process writes if a worker is killed', async t => {
    const suffix = '.parquet';
    const flags = { 'checkpoint-interval': '0' };
    const sharded = await planShards(t, [parquet], suffix, flags, '.parquet');
    const killed = startWorker(sharded);
    const checkpoint = join(sharded.shards.path, `parts/000000.1${suffix}.checkpoint`);
    while (!existsSync(checkpoint)) await sleep(20);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    const { code, stderr } = await startWorker(sharded).finished;
    assert.equal(code, 0, stderr);
    const row = Number(/shard 0: from row (\d+)/.exec(stderr)?.[1]);
    assert.ok(row > 1, `it goes on at row ${row}`);
    await compareSingle(sharded, suffix, 0);
  });

  it('are planned by the command, which says how many rows they have', async t => {
    const sharded = await planShards(t, [parquet], '.csv', {}, '.parquet');
    const plan = async (output: string, ...more: string[]): Promise<string> => {
      const own = [
        'plan',
        'in-0.parquet',
        '-o',
        output,
        '--shards',
        `${output}.shards`,
        '--shard-bytes',
        '1MiB',
      ];
      const { stdout } = await exits(run(sharded, ...own, '--report', 'one', '--allow-missing', ...more), 0);
      return String(stdout);
    };
    const { files } = JSON.parse(await plan('other.csv', '--json'));
    assert.deepEqual([files[0].rows, files[0].shards, files[0].why_one_shard], [8_000, 2, null]);
    const compressed = await plan('other.csv.gz');
    assert.match(compressed, /in-0\.parquet: 1 shard \(its text is compressed with gzip\)/);
  });
});
