import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { rejectColumns } from '../../../src/formats/records/reject.ts';
import { exits } from '../../support/rowcast.ts';
import { compareSingle } from '../../support/shards/compare-single.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import {
  bytesOf,
  planShards,
  run,
  type Sharded,
  scoreArguments,
  workOn,
} from '../../support/shards/sharded.ts';

/** Three shards. */
const text = hardCsv(2_200_000);

async function check(
  t: TestContext,
  suffix: string,
  code: number,
  flags: Sharded['flags'] = {},
  input = text,
) {
  const sharded = await planShards(t, [input], suffix, flags);
  await workOn(sharded);
  await compareSingle(sharded, suffix, code);
}

describe('rowcast assemble', () => {
  it('joins gzip members', t => check(t, '.csv.gz', 1));

  it('writes no header if none is wanted, and rejects to the file that was named', t =>
    check(t, '.csv', 0, { 'output-header': false, rejects: 'mine.csv', 'rejects-ok': '5%' }));

  it('ends at --limit', t => check(t, '.csv', 1, { limit: '9000', decimals: '3' }));

  it('writes the named rejects file although nothing was rejected', t =>
    check(t, '.csv', 0, { rejects: 'mine.csv' }, 'id,monthly amount,plan\n1,2.5,Basic\n'));

  it('takes an input whose records end in CR as one shard', t =>
    check(t, '.csv', 1, {}, hardCsv(20_000).replace(/\r?\n/g, '\r')));

  it('writes the summary of the whole run', async t => {
    const sharded = await planShards(t, [text], '.csv', { summary: 'summary.json' });
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
    const { status, exit_code, rows, columns, runs } = JSON.parse(
      await readFile(join(sharded.cwd, 'summary.json'), 'utf8'),
    );
    const flags = { 'allow-missing': true, summary: 'one.json' };
    await run(sharded, ...scoreArguments({ ...sharded, flags }, 'again.csv'));
    const one = JSON.parse(await readFile(join(sharded.cwd, 'one.json'), 'utf8'));
    assert.deepEqual(
      { status, exit_code, rows, columns, runs },
      { status: 'finished', exit_code: 1, rows: one.rows, columns: one.columns, runs: null },
    );
  });

  it('joins the parts of several inputs, and sums them up', async t => {
    const sharded = await planShards(t, [text, 'id,monthly amount,plan\n1,2.5,Basic\n', text], '.csv', {
      summary: 'summary.json',
    });
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 1);
    const { rows, runs } = JSON.parse(await readFile(join(sharded.cwd, 'summary.json'), 'utf8'));
    assert.equal(runs.length, 3);
    assert.equal(rows.read, 2 * runs[0].rows.read + 1);
  });

  it('writes outputs that a pattern names to their folders', async t => {
    const sharded = await planShards(t, [text, hardCsv(5000)], '.csv');
    const many = { ...sharded, inputs: ['in-*.csv'] };
    await exits(run(many, ...scoreArguments(many, 'one/{name}.csv')), 1);
    const shards = ['--workers', '2', '--shards', 'shards', '--shard-bytes', '1MiB'];
    await exits(run(many, ...scoreArguments(many, 'many/{name}.csv'), ...shards), 1);
    for (const name of ['in-0.csv', 'in-0.csv.rejects', 'in-1.csv', 'in-1.csv.rejects']) {
      const [wanted, found] = [join(many.cwd, 'one', name), join(many.cwd, 'many', name)];
      assert.deepEqual(await bytesOf(found), await bytesOf(wanted), name);
    }
    assert.equal(existsSync(join(many.cwd, 'shards')), false);
  });

  it('removes the rejects of an earlier run if there are none now', async t => {
    const sharded = await planShards(t, ['id,monthly amount,plan\n1,2.5,Basic\n'], '.csv');
    await writeFile(join(sharded.cwd, 'out-0.csv.rejects'), `${rejectColumns.join(',')},id\n`);
    await workOn(sharded);
    await compareSingle(sharded, '.csv', 0);
  });
});
