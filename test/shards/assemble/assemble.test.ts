import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compareSingle } from '../../support/shards/compare-single.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run, workOn } from '../../support/shards/sharded.ts';

const text = hardCsv(1_200_000);

describe('rowcast assemble', () => {
  it('writes the output and the rejects of a single run, and removes the folder', async t => {
    const sharded = await planShards(t, [hardCsv(2_200_000)], '.csv');
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
  });

  it('names the shards that are missing, and the command that scores them', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded, [0, 2]);
    const { code, stderr } = await run(sharded, 'assemble', sharded.shards.path);
    assert.equal(code, 75, stderr);
    assert.match(
      stderr,
      /of \d shards are not finished: 1.*\[unfinished_shards\]\n.*rowcast work \S+ --shard 1/,
    );
    assert.equal(existsSync(join(sharded.cwd, 'out-0.csv')), false);
  });

  it('withdraws the result of a shard whose part is damaged', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded);
    const part = join(sharded.shards.path, 'parts/000001.1.csv');
    await writeFile(part, (await readFile(part, 'utf8')).slice(0, -10));
    const { code, stderr } = await run(sharded, 'assemble', sharded.outputs[0] ?? '');
    assert.equal(code, 75, stderr);
    assert.match(stderr, /part of shard 1 is gone or damaged/);
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
  });

  it('stops at a shard that was given up', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded, [0]);
    const failure = { shard: 1, attempts: 5, error: { code: 'http_500', message: 'the service failed' } };
    await sharded.shards.create('failed/000001.json', JSON.stringify(failure));
    const { code, stderr } = await run(sharded, 'assemble', sharded.shards.path);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /shard 1 after 5 attempts: the service failed \[http_500\]/);
  });

  it('says that there is no plan once it has finished', async t => {
    const sharded = await planShards(t, ['id,monthly amount,plan\n1,2.5,Basic\n'], '.csv');
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 0);
    const { code, stderr } = await run(sharded, 'assemble', sharded.shards.path);
    assert.equal(code, 2);
    assert.match(stderr, /there is no plan in this folder \[no_plan\]\n.*finished run has none/);
    const byOutput = await run(sharded, 'assemble', 'out-0.csv');
    assert.equal(byOutput.code, 2, byOutput.stderr);
  });
});
