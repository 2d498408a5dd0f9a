import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { newFolder } from '../support/folder.ts';
import { exits } from '../support/in-process.ts';
import { csv } from '../support/scoring/files.ts';
import { slow } from '../support/slow.ts';
import { startStub } from '../support/stub/service.ts';

/** A folder with in.csv and an option for each file that a run can write, each in a folder that is not there. */
async function bench(t: TestContext) {
  const { env } = await startStub(t, {
    report: { columns: [{ name: 'id' }, { name: 'amount' }], classes: ['no', 'yes'] },
    first: ({ url }, response) => {
      if (!url?.startsWith('/user/testing-results/')) return false;
      response.end('id,amount\n');
      return true;
    },
  });
  const commands = await commandsIn(t, { 'in.csv': csv(20).replace('r7,7', 'r7') }, env);
  const files = ['out/new/out.csv', 'rejects/r.csv', 'a/s.json', 'b/s.html', 'c/m.prom', 'd/l.jsonl'];
  const [output = '', rejects = '', summary = '', html = '', metrics = '', lineage = ''] = files;
  const outputs = `-o ${output} --rejects ${rejects} --summary ${summary} --summary-html ${html} --metrics ${metrics} --lineage ${lineage}`;
  const missing = () => files.filter(file => !existsSync(commands.path(file)));
  return { ...commands, folder: commands.cwd, outputs, files, missing };
}

describe('the folders of the files that a command writes', () => {
  it('are created by score, for each of its files', async t => {
    const { run, outputs, missing } = await bench(t);
    await exits(run(`score in.csv --report r ${outputs}`), 1);
    assert.deepEqual(missing(), []);
  });

  it('are created by plan, and by assemble if they are gone', async t => {
    const { folder, run, outputs, files, missing } = await bench(t);
    await exits(run(`plan in.csv --report r ${outputs} --shards x/shards`), 0);
    assert.ok(existsSync(join(folder, 'out/new')));
    await exits(run('work x/shards'), 0);
    await exits(run('assemble x/shards'), 1);
    assert.deepEqual(missing(), []);
    assert.equal(files.length, 6);
  });

  slow('are created for a definition and for testing results', async t => {
    const { folder, run } = await bench(t);
    await writeFile(join(folder, 'in.csv'), csv(20));
    await writeFile(join(folder, 'job.yaml'), 'score: {input: in.csv, report: r, output: e/out.csv}\n');
    for (const args of [['run', 'job.yaml'], 'testing-results r -o f/new/t.csv']) {
      await exits(run(args), 0);
    }
    for (const file of ['e/out.csv', 'f/new/t.csv']) assert.ok(existsSync(join(folder, file)), file);
  });

  it('do not stay if the command is refused, except that of its summary', async t => {
    const { folder, run } = await bench(t);
    await mkdir(join(folder, 'b'));
    const outputs = '-o b/c/out.csv --rejects d/r.csv --summary a/s.json';
    await exits(run(`score none.csv --report r ${outputs}`), 2);
    assert.deepEqual(readdirSync(folder).sort(), ['a', 'b', 'in.csv']);
    assert.deepEqual(readdirSync(join(folder, 'b')), []);
    assert.equal(JSON.parse(await readFile(join(folder, 'a/s.json'), 'utf8')).status, 'refused');
    const several = 'score in.csv none.csv --url local --report none';
    await exits(run(`${several} -o p/{name}.csv`), 2);
    assert.deepEqual(readdirSync(folder).sort(), ['a', 'b', 'in.csv']);
  });

  slow('stay if another file of several needs them', async t => {
    const { folder, run } = await bench(t);
    await writeFile(join(folder, 'bad.csv'), 'id\nr1\n');
    for (const name of ['bad1', 'bad2', 'bad3'])
      await cp(join(folder, 'bad.csv'), join(folder, `${name}.csv`));
    await exits(run('score bad1.csv bad2.csv in.csv bad3.csv --report r -o q/{name}.csv'), 3);
    assert.deepEqual(
      readdirSync(join(folder, 'q')).filter(name => !name.startsWith('.')),
      ['in.csv', 'in.csv.rejects'],
    );
  });

  it('are compared before they exist: no file is written twice', async t => {
    const { folder, run } = await bench(t);
    await symlink('new', join(folder, 'link'));
    for (const [output = '', summary = ''] of [
      ['new/x', 'new/x'],
      ['new/x', 'NEW/x'],
      ['new/x', 'other/../new/x'],
    ]) {
      const { stderr } = await exits(run(`score in.csv --report r -o ${output} --summary ${summary}`), 2);
      assert.match(stderr, /\[same_output\]/, `${output} ${summary}`);
      assert.ok(!existsSync(join(folder, dirname(output))));
    }
  });

  it('cannot be those of the local reports', async t => {
    const { folder, run } = await bench(t);
    await exits(
      run('score in.csv --url local --report r -o .rowcast/reports/new/x.csv'),
      2,
      /\[output_is_input\]/,
    );
    assert.deepEqual(readdirSync(folder), ['in.csv']);
  });

  it('are created below the working directory, or in a folder that has something in it', async t => {
    const { folder, run } = await bench(t);
    const elsewhere = await newFolder(t);
    const score = (output: string) => run(`score in.csv --report r -o ${output}`);
    // What is left of a disk that is not mounted is an empty folder, or none.
    for (const [output, why] of [
      [join(elsewhere, 'scored/out.csv'), 'empty'],
      [join(elsewhere, 'data/scored/out.csv'), 'not there'],
      [join(elsewhere, 'scored/{name}.csv'), 'empty'],
      [join(elsewhere, 'data/scored/{dir}/{name}.csv'), 'not there'],
    ] as const) {
      const { stderr } = await exits(score(output), 2);
      assert.match(
        stderr,
        new RegExp(`no such folder, and the one that it would be in is ${why} \\[unwritable_output\\]`),
      );
      assert.match(
        stderr,
        /\n {2}Check the path, and that its disk is mounted; or create the folder: mkdir -p \S+\n/,
      );
      assert.deepEqual(readdirSync(elsewhere), []);
    }
    const shards = await run(`plan in.csv --report r -o x.csv --shards ${join(elsewhere, 'shards')}`);
    assert.match(shards.stderr, /\[unwritable_output\]/);
    assert.deepEqual(readdirSync(elsewhere), []);
    await writeFile(join(elsewhere, 'mounted'), '');
    for (const output of [
      join(elsewhere, 'scored/out.csv'),
      join(elsewhere, 'of/{name}/{dir}/x.csv'),
      'a/b/c/out.csv',
    ])
      await exits(score(output), 1);
    assert.deepEqual(readdirSync(elsewhere).sort(), ['mounted', 'of', 'scored']);
    assert.ok(existsSync(join(folder, 'a/b/c/out.csv')));
  });

  it('are refused where none can be created', async t => {
    const { run } = await bench(t);
    for (const output of ['/proc/new/x.csv', '/dev/null/new/x.csv', 'in.csv/new/x.csv']) {
      await exits(
        run(`score in.csv --report r -o ${output}`),
        2,
        /cannot write the output: .*\[unwritable_output\]/,
      );
    }
  });
});
