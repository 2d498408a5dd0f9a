import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exits } from '../../support/rowcast.ts';
import { compareSingle } from '../../support/shards/compare-single.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run, workOn } from '../../support/shards/sharded.ts';

const text = hardCsv(1_200_000);

describe('rowcast assemble', () => {
  it('writes what a single run writes of quotes that a backslash escapes, after lines that are left out', async t => {
    const escaped = text.replace('\ufeff', '').replaceAll('""', '\\"');
    const options = { escape: '\\', 'skip-lines': '2' };
    const sharded = await planShards(t, [`a "title\nof two lines\n${escaped}`], '.csv', options);
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
  });

  it('withdraws the result of a shard whose part is damaged', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded);
    const part = join(sharded.shards.path, 'parts/000001.1.csv');
    await writeFile(part, (await readFile(part, 'utf8')).slice(0, -10));
    await exits(run(sharded, 'assemble', sharded.outputs[0] ?? ''), 75, /part of shard 1 is gone or damaged/);
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
  });
});
