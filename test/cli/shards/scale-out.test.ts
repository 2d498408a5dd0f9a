import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, rename, rm, utimes, writeFile } from 'node:fs/promises';
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

  slow('may be that of a definition', async t => {
    const { cwd, run, read } = await commandFolder(t);
    const keys = ['input: in.csv', 'output: out.csv', 'report: one', 'allow-missing: true'];
    const workers = ['workers: 2', 'shards: parts', 'shard-bytes: 1MiB'];
    await writeFile(join(cwd, 'run.yaml'), `score:\n  ${[...keys, ...workers].join('\n  ')}\n`);
    const { stderr } = await run(1, 'run', 'run.yaml');
    assert.match(stderr, /with 2 workers[\s\S]*joining 2 parts/);
    const lines = (await read('out.csv')).length;
    await run(1, 'run', 'run.yaml', '--workers', '0', '-o', 'one.csv');
    assert.equal((await read('one.csv')).length, lines);
  });

  slow('of several inputs scores only what has changed since, as a run without shards does', async t => {
    const { cwd, run, read } = await commandFolder(t);
    const write = (row: number) =>
      writeFile(join(cwd, 'in2.csv'), `id,monthly amount,plan\n${row},2.5,Basic\n`);
    await write(1);
    await writeFile(join(cwd, 'in.csv'), 'id,monthly amount,plan\n1,2.5,Basic\n2,too few\n');
    const options = ['in.csv', 'in2.csv', '-o', 'out/{name}.csv', '--allow-missing', '--report', 'one'];
    const shards = ['--shards', 'dir', '--summary', 'out.json'];
    const workers = ['--workers', '2', ...shards];
    const scored = async () => {
      const { status, runs, rows } = JSON.parse(await read('out.json'));
      return [status, rows.scored, ...runs.map((one: { status: string }) => one.status)];
    };
    await run(1, 'score', ...options, ...workers);
    assert.match((await run(1, 'score', ...options)).stderr, /2 files: 2 unchanged or skipped;/);
    const { stderr } = await run(1, 'score', ...options, ...workers);
    assert.match(stderr, /2 files: 2 unchanged or skipped; 0 rows scored/);
    assert.match(stderr, /of the unchanged files, 1 row was rejected when they were scored/);
    assert.deepEqual(await scored(), ['skipped', 0, 'skipped', 'skipped']);
    assert.equal(JSON.parse(await read('out.json')).input, `${join(cwd, 'in.csv')}, ${join(cwd, 'in2.csv')}`);
    await write(2);
    await run(1, 'score', ...options, ...workers);
    assert.deepEqual(await scored(), ['finished', 1, 'finished', 'skipped']);
    await write(3);
    const { stdout } = await run(0, 'plan', ...options, ...shards);
    assert.match(stdout, /^1 file not scored again: unchanged since it was scored$/m);
    await run(0, 'work', 'dir');
    assert.match(
      (await run(1, 'assemble', 'dir')).stderr,
      /2 files: 1 scored, 1 unchanged or skipped; 1 row/,
    );
    const again = ['--if-exists', 'replace', '--workers', '1'];
    assert.match((await run(1, 'score', ...options, ...shards, ...again)).stderr, /2 files: 2 scored;/);
  });

  slow('of several inputs that are all unchanged has nothing to do, in any of its commands', async t => {
    const { cwd, run } = await commandFolder(t);
    await writeFile(join(cwd, 'in.csv'), 'id,monthly amount,plan\n1,2.5,Basic\n');
    const options = 'in.csv -o {name}-out.csv --allow-missing --report one --shards dir'.split(' ');
    await run(0, 'score', ...options, '--workers', '1');
    const { stdout } = await run(0, 'plan', ...options, '--json');
    const { shards, files, unchanged } = JSON.parse(stdout);
    assert.deepEqual([shards, files, unchanged], [0, [], [join(cwd, 'in.csv')]]);
    await writeFile(join(cwd, 'in.csv'), 'id,monthly amount,plan\n2,2.5,Basic\n');
    assert.match((await run(0, 'plan', ...options)).stdout, /in\.csv: 1 shard/); // in place of the plan with none
    await run(0, 'score', ...options, '--workers', '1');
    await run(0, 'plan', ...options);
    await run(0, 'work', 'dir');
    assert.match((await run(3, 'status', 'dir')).stdout, /next +rowcast assemble dir/);
    assert.match((await run(0, 'assemble', 'dir')).stderr, /1 file: 1 unchanged or skipped/);
    assert.equal(existsSync(join(cwd, 'dir')), false);
  });

  slow('of several inputs is over, although the process that removed its folder was killed', async t => {
    const { cwd, run } = await commandFolder(t);
    await writeFile(join(cwd, 'in.csv'), 'id,monthly amount,plan\n1,2.5,Basic\n');
    const options = ['in.csv', '-o', '{name}-out.csv', '--allow-missing', '--report', 'one'];
    const shards = ['--shards', 'dir'];
    await run(0, 'plan', ...options, ...shards);
    await run(0, 'work', 'dir');
    await cp(join(cwd, 'dir'), join(cwd, 'before'), { recursive: true });
    await run(0, 'assemble', 'dir');
    await rename(join(cwd, 'before'), join(cwd, 'dir'));
    await rm(join(cwd, 'dir/plan.json'));
    await writeFile(join(cwd, 'dir/assembled.json'), '{"exit_code":0}');
    const { stderr } = await run(0, 'score', ...options, ...shards, '--workers', '1');
    assert.match(stderr, /1 file: 1 unchanged or skipped/);
    assert.equal(existsSync(join(cwd, 'dir')), false);
  });

  slow('goes on after it was cancelled when it is planned again', async t => {
    const { run } = await commandFolder(t);
    await run(0, ...plan, '--shards', 'dir');
    await run(0, 'cancel', 'dir');
    assert.match((await run(3, 'work', 'dir')).stderr, /the run was cancelled \[cancelled\]/);
    await run(0, ...plan, '--shards', 'dir');
    await run(0, 'work', 'dir', '--shard', '1');
    assert.match((await run(75, 'assemble', 'dir')).stderr, /1 of 2 shards is not finished: 0/);
    await run(0, 'work', 'dir', '--shard', '0', '--shards-per-task', '5');
    await run(1, 'assemble', 'dir');
  });

  slow('refuses another plan, another service and a changed input', async t => {
    const { cwd, run } = await commandFolder(t);
    await run(0, ...plan, '--shards', 'dir');
    assert.match(
      (await run(2, ...plan, '--shards', 'dir', '--decimals', '3')).stderr,
      /the options differ.*\[other_work\]/,
    );
    const elsewhere = ['--url', 'http://127.0.0.1:9', '--api-key-file', 'key'];
    await writeFile(join(cwd, 'key'), 'a-key-that-is-long-enough');
    assert.match(
      (await run(2, 'work', 'dir', ...elsewhere)).stderr,
      /the plan is for a local report.*\[other_work\]/,
    );
    await utimes(join(cwd, 'in.csv'), 1, 1);
    assert.match(
      (await run(3, 'work', 'dir', '--shard', '0')).stderr,
      /its size, time or version differs \[input_changed\]/,
    );
    assert.match((await run(3, 'assemble', 'dir')).stderr, /shard 0 after 1 attempts/);
  });

  slow('refuses options that would protect or restart an output', async t => {
    const { cwd, run } = await commandFolder(t);
    for (const option of [
      ['--if-exists', 'fail'],
      ['--if-exists', 'skip'],
      ['--restart'],
      ['--restart-if-changed'],
    ])
      assert.match(
        (await run(2, ...plan, '--shards', 'dir', ...option)).stderr,
        /has no effect on shards \[usage\]/,
      );
    assert.equal(existsSync(join(cwd, 'dir')), false);
  });
});
