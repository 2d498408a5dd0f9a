import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { workTimeOf } from '../../../src/shards/assemble/file-parts.ts';
import { readRun } from '../../../src/shards/folder/read-run.ts';
import { exits } from '../../support/rowcast.ts';
import { assembleHere } from '../../support/shards/assemble-here.ts';
import { compareSingle } from '../../support/shards/compare-single.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run, workOn } from '../../support/shards/sharded.ts';
import { slow } from '../../support/slow.ts';

const text = hardCsv(1_200_000);

describe('rowcast assemble', () => {
  slow('says how much of it is copied, and how long the workers took', async t => {
    const sharded = await planShards(t, [hardCsv(2_200_000)], '.csv');
    await workOn(sharded);
    const { results } = await readRun(sharded.shards);
    const sizes = [...results.values()].map(({ output }) => output.bytes);
    const copied: [number, number][] = [];
    const { seconds, started_at, rows, rows_per_second } = await assembleHere(
      sharded.shards.path,
      undefined,
      (bytes, all) => copied.push([bytes, all]),
    );
    const all = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(copied.length >= sizes.length - 1);
    assert.deepEqual(copied.at(-1), [all, all]);
    const [{ started_at: workStart } = { started_at: '' }] = [...results.values()];
    const work = workTimeOf([...results.values()]);
    assert.equal(started_at, workStart);
    assert.ok(seconds > work.seconds, `${seconds} s, of which the workers took ${work.seconds} s`);
    assert.ok(Math.abs(rows_per_second / (rows.read / seconds) - 1) < 0.05);
  });

  it('names the shards that are missing, and joins them later to what a single run writes', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded, [0, 2]);
    await exits(
      run(sharded, 'assemble', sharded.shards.path),
      75,
      /of \d shards is not finished: 1.*\[unfinished_shards\]\n.*rowcast work \S+ --shard 1/,
    );
    assert.equal(existsSync(join(sharded.cwd, 'out-0.csv')), false);
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
  });

  slow('stops at a shard that was given up', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded, [0]);
    const failure = { shard: 1, attempts: 5, error: { code: 'http_500', message: 'the service failed' } };
    await sharded.shards.create('failed/000001.json', JSON.stringify(failure));
    await exits(
      run(sharded, 'assemble', sharded.shards.path),
      3,
      /shard 1 after 5 attempts: the service failed \[http_500\]/,
    );
  });

  it('says that there is no plan once it has finished', async t => {
    const sharded = await planShards(t, ['id,monthly amount,plan\n1,2.5,Basic\n'], '.csv');
    await workOn(sharded);
    await assembleHere(sharded.shards.path);
    await exits(
      run(sharded, 'assemble', sharded.shards.path),
      2,
      /there is no plan in this folder \[no_plan\]\n.*finished run has none/,
    );
    await exits(run(sharded, 'assemble', 'out-0.csv'), 2);
  });

  slow(
    'writes what a single run writes of quotes that a backslash escapes, after lines that are left out',
    async t => {
      const escaped = text.replace('\ufeff', '').replaceAll('""', '\\"');
      const options = { escape: '\\', 'skip-lines': '2' };
      const sharded = await planShards(t, [`a "title\nof two lines\n${escaped}`], '.csv', options);
      await workOn(sharded);
      await compareSingle(sharded, '.csv', 1);
    },
  );

  slow('withdraws the result of a shard whose part is damaged', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded);
    const part = join(sharded.shards.path, 'parts/000001.1.csv');
    await writeFile(part, (await readFile(part, 'utf8')).slice(0, -10));
    await exits(run(sharded, 'assemble', sharded.outputs[0] ?? ''), 75, /part of shard 1 is gone or damaged/);
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
  });
});
