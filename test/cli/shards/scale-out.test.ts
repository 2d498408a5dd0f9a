import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, rename, rm, utimes } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { exits, rowcast } from '../../support/rowcast.ts';
import { commandFolder, plan } from '../../support/shards/command-folder.ts';
import { slow } from '../../support/slow.ts';

const score = 'score in.csv --allow-missing --report one';
const one = (row: number): string => `id,monthly amount,plan\n${row},2.5,Basic\n`;

describe('a run in shards', () => {
  slow('of --workers leaves the files of a run without them', async t => {
    const { cwd, env, path, run, read, jsonIn } = await commandFolder(t);
    await run(1, `${score} -o one.csv --summary one.json`);
    const workers = '--workers 2 --shard-bytes 1MiB --summary out.json --compare one.json';
    const started = rowcast(`${score} -o out.csv ${workers}`.split(' '), { cwd, env });
    const { stderr } = await exits(started, 1, /compared with one\.json: /);
    // As of a timer that is too long.
    assert.doesNotMatch(stderr, /Warning/);
    for (const suffix of ['', '.rejects'])
      assert.equal(await read(`out.csv${suffix}`), await read(`one.csv${suffix}`));
    const [single, out] = [await jsonIn('one.json'), await jsonIn('out.json')];
    assert.deepEqual([out.rows, out.columns, out.scores], [single.rows, single.columns, single.scores]);
    assert.equal(existsSync(path('out.csv.shards')), false);
  });

  slow('is compared with the last good one, and stops if it has far fewer rows', async t => {
    const { run, jsonIn } = await commandFolder(t);
    const shards = `${score} -o out.csv --workers 1 --compare last --summary out.json`;
    await run(1, shards, /nothing to compare with: no good run of this output/);
    const { run_id } = await jsonIn('out.json');
    await run(1, shards, /compared with the last good run: /);
    assert.equal((await jsonIn('out.json')).drift.compared_with.run_id, run_id);
    const says = /there are 10 rows, fewer than 90% of the [\d,]+ of the last good run \[under_min_rows\]/;
    await run(3, `${shards} --limit 10 --min-rows 90%`, says);
  });

  slow('is three commands, and the plan says which', async t => {
    const { run, read } = await commandFolder(t);
    const { stdout } = await run(0, `${plan} --shards out.csv.shards`);
    assert.match(stdout, /in\.csv: 2 shards, [\d,]+ rows\n/);
    const [work = '', assemble = ''] = [...stdout.matchAll(/^ {2}rowcast ((?:work|assemble) \S+)$/gm)].map(
      ([, line = '']) => line,
    );
    await run(0, work);
    await run(1, assemble);
    assert.match(await read('out.csv'), /^[^\n]*probability_/);
  });

  it('refuses what makes no sense', async t => {
    const { run } = await commandFolder(t);
    await run(
      2,
      `${plan} --shards dir --if-same-as-last fail`,
      /--if-same-as-last fail has no effect on shards/,
    );
    await run(2, `${plan} --shards dir --shard-bytes 1500KiB`, /whole number of MiB/);
    await run(2, `${score} -o out.csv --shards dir`, /--shards has no effect without --workers or --queue/);
    await run(2, 'work nowhere', /there is no plan in this folder \[no_plan\]/);
    await run(2, 'work nowhere --shard x', /--shard: expected a whole number/);
  });

  slow('may be that of a definition', async t => {
    const { run, read, write } = await commandFolder(t);
    const keys = ['input: in.csv', 'output: out.csv', 'report: one', 'allow-missing: true'];
    const workers = ['workers: 2', 'shards: parts', 'shard-bytes: 1MiB'];
    await write('run.yaml', `score:\n  ${[...keys, ...workers].join('\n  ')}\n`);
    await run(1, 'run run.yaml', /with 2 workers[\s\S]*joining 2 parts/);
    await run(1, 'run run.yaml --workers 0 -o one.csv');
    assert.equal((await read('one.csv')).length, (await read('out.csv')).length);
  });

  slow('of several inputs scores only what has changed since, as a run without shards does', async t => {
    const { run, path, write, jsonIn } = await commandFolder(t);
    await write('in2.csv', one(1));
    await write('in.csv', `${one(1)}2,too few\n`);
    const options = 'in.csv in2.csv -o out/{name}.csv --allow-missing --report one';
    const shards = '--shards dir --summary out.json';
    const workers = `score ${options} ${shards} --workers 2`;
    const scored = async () => {
      const { status, runs, rows } = await jsonIn('out.json');
      return [status, rows.scored, ...runs.map((each: { status: string }) => each.status)];
    };
    await run(1, workers);
    await run(1, `score ${options}`, /2 files: 2 unchanged or skipped;/);
    const before = /of the unchanged files, 1 row was rejected when they were scored/;
    await run(1, workers, /2 files: 2 unchanged or skipped; 0 rows scored/, before);
    assert.deepEqual(await scored(), ['skipped', 0, 'skipped', 'skipped']);
    assert.equal((await jsonIn('out.json')).input, `${path('in.csv')}, ${path('in2.csv')}`);
    await write('in2.csv', one(2));
    await run(1, workers);
    assert.deepEqual(await scored(), ['finished', 1, 'finished', 'skipped']);
    await write('in2.csv', one(3));
    const { stdout } = await run(0, `plan ${options} ${shards}`);
    assert.match(stdout, /^1 file not scored again: unchanged since it was scored$/m);
    await run(0, 'work dir');
    await run(1, 'assemble dir', /2 files: 1 scored, 1 unchanged or skipped; 1 row/);
    await run(1, `${workers} --if-exists replace`, /2 files: 2 scored;/);
  });

  slow('of several inputs that are all unchanged has nothing to do, in any of its commands', async t => {
    const { path, run, write } = await commandFolder(t);
    await write('in.csv', one(1));
    const options = 'in.csv -o {name}-out.csv --allow-missing --report one --shards dir';
    await run(0, `score ${options} --workers 1`);
    const { stdout } = await run(0, `plan ${options} --json`);
    const { shards, files, unchanged } = JSON.parse(stdout);
    assert.deepEqual([shards, files, unchanged], [0, [], [path('in.csv')]]);
    await write('in.csv', one(2));
    assert.match((await run(0, `plan ${options}`)).stdout, /in\.csv: 1 shard/); // in place of the plan with none
    await run(0, `score ${options} --workers 1`);
    await run(0, `plan ${options}`);
    await run(0, 'work dir');
    assert.match((await run(3, 'status dir')).stdout, /next +rowcast assemble dir/);
    await run(0, 'assemble dir', /1 file: 1 unchanged or skipped/);
    assert.equal(existsSync(path('dir')), false);
  });

  slow('of several inputs is over, although the process that removed its folder was killed', async t => {
    const { path, run, write } = await commandFolder(t);
    await write('in.csv', one(1));
    const options = 'in.csv -o {name}-out.csv --allow-missing --report one --shards dir';
    await run(0, `plan ${options}`);
    await run(0, 'work dir');
    await cp(path('dir'), path('before'), { recursive: true });
    await run(0, 'assemble dir');
    await rename(path('before'), path('dir'));
    await rm(path('dir/plan.json'));
    await write('dir/assembled.json', '{"exit_code":0}');
    await run(0, `score ${options} --workers 1`, /1 file: 1 unchanged or skipped/);
    assert.equal(existsSync(path('dir')), false);
  });

  slow('goes on after it was cancelled when it is planned again', async t => {
    const { run } = await commandFolder(t);
    await run(0, `${plan} --shards dir`);
    await run(0, 'cancel dir');
    await run(3, 'work dir', /the run was cancelled \[cancelled\]/);
    await run(0, `${plan} --shards dir`);
    await run(0, 'work dir --shard 1');
    await run(75, 'assemble dir', /1 of 2 shards is not finished: 0/);
    await run(0, 'work dir --shard 0 --shards-per-task 5');
    await run(1, 'assemble dir');
  });

  slow('refuses another plan, another service and a changed input', async t => {
    const { path, run, write } = await commandFolder(t);
    await run(0, `${plan} --shards dir`);
    await run(2, `${plan} --shards dir --decimals 3`, /the options differ.*\[other_work\]/);
    await write('key', 'a-key-that-is-long-enough');
    const elsewhere = '--url http://127.0.0.1:9 --api-key-file key';
    await run(2, `work dir ${elsewhere}`, /the plan is for a local report.*\[other_work\]/);
    await utimes(path('in.csv'), 1, 1);
    await run(3, 'work dir --shard 0', /its size, time or version differs \[input_changed\]/);
    await run(3, 'assemble dir', /shard 0 after 1 attempts/);
  });

  slow('refuses options that would protect or restart an output', async t => {
    const { path, run } = await commandFolder(t);
    for (const option of ['--if-exists fail', '--if-exists skip', '--restart', '--restart-if-changed'])
      await run(2, `${plan} --shards dir ${option}`, /has no effect on shards \[usage\]/);
    assert.equal(existsSync(path('dir')), false);
  });
});
