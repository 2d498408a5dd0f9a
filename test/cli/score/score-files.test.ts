import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { RunWarning } from '../../../src/runs/summary/summary.ts';
import { exits } from '../../support/rowcast.ts';
import { all, csv, filesWith } from '../../support/scoring/files.ts';
import { slow } from '../../support/slow.ts';
import { send } from '../../support/stub/service.ts';

const three = { 'in/a.csv': csv(3), 'in/b.csv.gz': gzipSync(csv(4)), 'in/eu/c.csv': csv(5) };

describe('several files', { timeout: 120_000 }, () => {
  it('are scored again if input, output or an option has changed, or if they are asked for', async t => {
    const { score, summary, cwd } = await filesWith(t, three);
    const scored = async (more = '') => {
      await exits(score(`${all} ${more}`), 0);
      return (await summary()).runs
        .filter((run: { status: string }) => run.status === 'finished')
        .map(({ input }: { input: string }) => relative(cwd, input));
    };
    assert.deepEqual(await scored(), ['in/a.csv', 'in/b.csv.gz', 'in/eu/c.csv']);
    await writeFile(join(cwd, 'in/a.csv'), csv(4, 9));
    await rm(join(cwd, 'out/c.csv'));
    assert.deepEqual(await scored(), ['in/a.csv', 'in/eu/c.csv']);
    assert.deepEqual(await scored('--prediction'), ['in/a.csv', 'in/b.csv.gz', 'in/eu/c.csv']);
    assert.deepEqual(await scored('--prediction --if-exists skip'), []);
    assert.equal((await scored('--prediction --if-exists replace')).length, 3);
    assert.deepEqual(await scored('--prediction'), []);
    await rm(join(cwd, 'out/.rowcast-runs.json'));
    assert.equal((await scored('--prediction')).length, 3);
  });

  it('of which some have no rows are named by a warning of the total', async t => {
    const { score, summary } = await filesWith(t, { ...three, 'in/b.csv.gz': gzipSync('id,amount\n') });
    await exits(score(all), 0);
    assert.deepEqual(
      (await summary()).warnings.map(({ code, message }: RunWarning) => [
        code,
        message.replace(/^.*in\//, ''),
      ]),
      [['no_rows', 'b.csv.gz has no rows']],
    );
  });

  it('have outputs in folders that are created, named by folder and name', async t => {
    const { score, read } = await filesWith(t, { 'in/eu/a.csv': csv(1), 'in/us/a.csv': csv(2) });
    await exits(score('in/*/*.csv -o out/{dir}/deep/{index}-{name}.csv'), 0);
    assert.equal((await read('out/eu/deep/1-a.csv')).split('\n').length, 3);
    assert.equal((await read('out/us/deep/2-a.csv')).split('\n').length, 4);
  });

  it('are refused before the first request if two would write the same file, or one is written', async t => {
    const { score, stub, summary } = await filesWith(t, { 'in/eu/a.csv': csv(1), 'in/us/a.csv': csv(2) });
    await exits(score(all), 2, /in\/eu\/a\.csv and in\/us\/a\.csv would write the same file \[same_output\]/);
    const read = await score('in/*/*.csv -o in/{dir}/{name}.csv');
    assert.match(read.stderr, /\[output_is_input\]/);
    const none = await score('in/*.tsv -o {name}.csv --summary s.json');
    assert.match(none.stderr, /in\/\*\.tsv: no file matches the pattern \[no_such_file\]/);
    assert.equal((await summary()).status, 'refused');
    await exits(score('- in/eu/a.csv -o {name}.csv'), 2);
    await exits(score('in/eu/a.csv in/us/a.csv'), 2);
    assert.equal(stub.bodies.length, 0);
  });

  it('stop with the first that fails if --fail-fast is given', async t => {
    const { score, summary } = await filesWith(t, { ...three, 'in/a.csv': 'x\n1\n' });
    await exits(score(`${all} --fail-fast --jobs 1`), 3);
    const { runs } = await summary();
    assert.deepEqual(
      runs.map(({ error }: { error: { code: string; message: string } }) => error.code),
      ['missing_columns', 'interrupted', 'interrupted'],
    );
    assert.equal(runs[1].error.message, 'stopped by the failure of in/a.csv');
  });

  slow('have one budget of rejects, and stop together', async t => {
    const bad = 'id,amount\n1,2\n3\n4\n';
    const { score, summary } = await filesWith(t, { 'in/a.csv': bad, 'in/b.csv': bad, 'in/c.csv': bad });
    const says =
      /\n {2}rejected rows are in: out\/a\.csv\.rejects, out\/b\.csv\.rejects, out\/c\.csv\.rejects$/m;
    await exits(score(`${all} --max-rejects 6`), 1, says);
    await exits(score(`${all} --if-exists replace --rejects-ok 6`), 0);
    await exits(
      score(`${all} --if-exists replace --max-rejects 3 --jobs 1`),
      3,
      /4 of 6 rows of all files were rejected: 4 × too_few_fields \[too_many_rejects\]/,
    );
    assert.deepEqual(
      (await summary()).runs.map(({ status }: { status: string }) => status),
      ['finished', 'stopped', 'stopped'],
    );
  });

  slow(
    'give the same exit code again when they are skipped, because their rejected rows are still missing',
    async t => {
      const files = { 'in/a.csv': 'id,amount\n1,2\n3\n4\n', 'in/b.csv': csv(3) };
      const { score, summary, cwd } = await filesWith(t, files);
      await exits(score(all), 1);
      const says = /2 unchanged or skipped; .*\n {2}of the unchanged files, 2 rows were rejected when/;
      await exits(score(all), 1, says);
      const { status, exit_code, runs } = await summary();
      assert.deepEqual([status, exit_code], ['skipped', 1]);
      assert.deepEqual(
        runs.map((run: { exit_code: number }) => run.exit_code),
        [1, 0],
      );
      await exits(score(`${all} --rejects-ok 2`), 0);
      await exits(score(`${all} --rejects-ok 10%`), 1);
      await rm(join(cwd, 'out/a.csv.rejects'));
      assert.match((await score(all)).stderr, /2 files: 1 scored, 1 unchanged or skipped/);
      await writeFile(join(cwd, 'in/a.csv'), csv(2));
      await exits(score(all), 0);
    },
  );

  it('stop together if the service refuses the key, and after one outage', async t => {
    const down = await filesWith(t, three, {
      behave: ({ response }) => {
        send(response, 503, {}, { 'retry-after': '0' });
        return true;
      },
    });
    await exits(down.score(`${all} --max-outage 200ms --jobs 1`), 75);
    assert.deepEqual(
      (await down.summary()).runs.map(({ error }: { error: { code: string } }) => error.code),
      ['http_503', 'interrupted', 'interrupted'],
    );
  });

  slow('share the pace: together they make no more requests at a time than one would', async t => {
    let [now, most] = [0, 0];
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`in/${i}.csv`, csv(20)]));
    const { score } = await filesWith(t, files, {
      behave: async () => {
        most = Math.max(most, ++now);
        await new Promise(resolve => setTimeout(resolve, 5));
        now--;
        return false;
      },
    });
    await exits(score(`${all} --jobs 6 --concurrency 2 --batch-rows 2`), 0);
    assert.equal(most, 2);
  });

  slow('resume each on its own', async t => {
    let isDown = false;
    const { score, summary, read } = await filesWith(
      t,
      { 'in/a.csv': csv(40), 'in/b.csv': csv(40) },
      {
        behave: ({ number, response }) => {
          if (number > 5) isDown = true;
          if (!isDown || number > 20) return false;
          send(response, 401, {});
          return true;
        },
      },
    );
    const flags = '--batch-rows 4 --concurrency 1 --jobs 2';
    await exits(score(`${all} ${flags}`), 3);
    isDown = false;
    const { code, stderr } = await score(`${all} ${flags} --max-outage 5s`);
    assert.notEqual(code, 2, stderr);
    while ((await score(`${all} ${flags}`)).code !== 0);
    assert.ok(
      (await summary()).runs.some((run: { resumed_from_row: number | null }) => run.resumed_from_row !== 1),
    );
    for (const name of ['a', 'b']) assert.equal((await read(`out/${name}.csv`)).split('\n').length, 42);
  });

  it('include a single one, if its output is a pattern or unchanged ones are to be skipped', async t => {
    const { score, summary } = await filesWith(t, { 'in/a.csv': csv(2) });
    await exits(score('in/a.csv -o out/{name}.csv'), 0);
    const plain = 'in/a.csv -o b.csv --if-exists skip-unchanged --summary s.json';
    await exits(score(plain), 0);
    await exits(score(plain), 0);
    assert.deepEqual([(await summary()).status, (await summary()).runs.length], ['skipped', 1]);
  });
});

it('one of several files with a header only is named once, with a hint that fits --ready-file', async t => {
  const { score } = await filesWith(t, { 'in/a.csv': csv(0), 'in/b.csv': csv(2), 'in/done': '' });
  await exits(
    score('in/*.csv -o out/{name}.csv --ready-file done'),
    0,
    /^rowcast: in\/a\.csv: the input has no rows.*\n {2}The file of --ready-file says that it is complete: check the program that writes it\.$/m,
  );
});
