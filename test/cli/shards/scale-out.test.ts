import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandFolder, plan } from '../../support/shards/command-folder.ts';
import { slow } from '../../support/slow.ts';

describe('a run in shards', () => {
  slow('of --workers leaves the files of a run without them', async t => {
    const { cwd, run, read } = await commandFolder(t);
    const score = ['score', 'in.csv', '--allow-missing', '--report', 'one'];
    await run(1, ...score, '-o', 'one.csv', '--summary', 'one.json');
    const { stderr } = await run(
      1,
      ...score,
      '-o',
      'out.csv',
      '--workers',
      '2',
      '--shard-bytes',
      '1MiB',
      '--summary',
      'out.json',
      '--compare',
      'one.json',
    );
    assert.match(stderr, /compared with one\.json: /);
    // As of a timer that is too long.
    assert.doesNotMatch(stderr, /Warning/);
    assert.equal(await read('out.csv'), await read('one.csv'));
    assert.equal(await read('out.csv.rejects'), await read('one.csv.rejects'));
    const [one, out] = [JSON.parse(await read('one.json')), JSON.parse(await read('out.json'))];
    assert.deepEqual([out.rows, out.columns, out.scores], [one.rows, one.columns, one.scores]);
    assert.equal(existsSync(join(cwd, 'out.csv.shards')), false);
  });

  slow('is compared with the last good one, and stops if it has far fewer rows', async t => {
    const { run, read } = await commandFolder(t);
    const score = ['score', 'in.csv', '--allow-missing', '--report', 'one', '-o', 'out.csv'];
    const shards = [...score, '--workers', '1', '--compare', 'last', '--summary', 'out.json'];
    assert.match((await run(1, ...shards)).stderr, /nothing to compare with: no good run of this output/);
    const { run_id } = JSON.parse(await read('out.json'));
    assert.match((await run(1, ...shards)).stderr, /compared with the last good run: /);
    assert.equal(JSON.parse(await read('out.json')).drift.compared_with.run_id, run_id);
    const { stderr } = await run(3, ...shards, '--limit', '10', '--min-rows', '90%');
    assert.match(
      stderr,
      /there are 10 rows, fewer than 90% of the [\d,]+ of the last good run \[under_min_rows\]/,
    );
  });

  slow('is three commands, and the plan says which', async t => {
    const { run, read } = await commandFolder(t);
    const { stdout } = await run(0, ...plan, '--shards', 'out.csv.shards');
    assert.match(stdout, /in\.csv: 2 shards, [\d,]+ rows\n/);
    const commands = [...stdout.matchAll(/^ {2}rowcast (work|assemble) (\S+)$/gm)].map(
      ([, name = '', dir = '']) => [name, dir],
    );
    assert.deepEqual(
      commands.map(([name]) => name),
      ['work', 'assemble'],
    );
    for (const command of commands) await run(command[0] === 'work' ? 0 : 1, ...command);
    assert.match((await read('out.csv')).split('\n', 1)[0] ?? '', /probability_/);
  });

  it('refuses what makes no sense', async t => {
    const { run } = await commandFolder(t);
    assert.match(
      (await run(2, ...plan, '--shards', 'dir', '--if-same-as-last', 'fail')).stderr,
      /--if-same-as-last fail has no effect on shards/,
    );
    assert.match(
      (await run(2, ...plan, '--shards', 'dir', '--shard-bytes', '1500KiB')).stderr,
      /whole number of MiB/,
    );
    const score = ['score', 'in.csv', '--report', 'one', '-o', 'out.csv'];
    assert.match(
      (await run(2, ...score, '--shards', 'dir')).stderr,
      /--shards has no effect without --workers or --queue/,
    );
    assert.match((await run(2, 'work', 'nowhere')).stderr, /there is no plan in this folder \[no_plan\]/);
    assert.match(
      (await run(2, 'work', 'nowhere', '--shard', 'x')).stderr,
      /--shard: expected a whole number/,
    );
  });
});
