import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { writeReport } from '../../../src/models/store/write-report.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import type { Finished } from '../../support/rowcast.ts';
import { reportOf } from '../../support/service/report.ts';

/** A folder with the reports `one` and `two`, and a function that runs commands in it. */
async function bench(t: TestContext) {
  const cwd = await newFolder(t);
  const run = (...args: string[]): Promise<Finished> => rowcast(args, { cwd });
  for (const id of ['one', 'two'])
    await writeReport(join(cwd, '.rowcast'), {
      report: reportOf(id),
      model: Buffer.from('model'),
      testingResults: Buffer.from('results\n'),
    });
  return { cwd, run };
}

describe('rowcast reports', () => {
  it('lists the reports, and shows which are damaged and why', async t => {
    const { cwd, run } = await bench(t);
    await appendFile(join(cwd, '.rowcast/reports/two/model.zip'), 'x');
    const { stdout, stderr } = await exits(run('reports'), 0);
    assert.match(stdout.toString(), /^one +outcome +no, yes +50\.0%\ntwo +\(damaged\)$/m);
    assert.match(stderr, /the report "two" is damaged: model\.zip has changed/);
    const json = await run('reports', '--json');
    assert.deepEqual(JSON.parse(json.stdout.toString()).reports, [
      {
        id: 'one',
        predicts: 'outcome',
        classes: ['no', 'yes'],
        numbers: null,
        testing_accuracy: '50.0%',
        damage: null,
      },
      {
        id: 'two',
        predicts: null,
        classes: null,
        numbers: null,
        testing_accuracy: null,
        damage: 'damaged_report',
      },
    ]);
    const none = await rowcast(['reports', '--json', '--home', 'none'], { cwd });
    assert.deepEqual(JSON.parse(none.stdout.toString()).reports, []);
  });

  it('deletes a report, and fails for one that does not exist', async t => {
    const { run } = await bench(t);
    await exits(run('reports', 'delete', 'one'), 0, /deleted report one from .*\.rowcast/);
    assert.doesNotMatch((await run('reports')).stdout.toString(), /one/);
    await exits(
      run('reports', 'delete', 'one'),
      2,
      /there is no report "one".*\[no_such_report\]\n {2}.*two/,
    );
  });

  it('exits with 2 if the home is a file, and so do keys and serve', async t => {
    const home = join(await newFolder(t), 'home');
    await writeFile(home, '');
    const commands = ['reports', 'reports delete one', 'keys', 'serve --port 0'];
    for (const command of commands) {
      const { code, stderr } = await rowcast(command.split(' '), { env: { ROWCAST_HOME: home } });
      assert.equal(code, 2, `${command}: ${stderr}`);
      assert.match(stderr, /home\/(reports|keys): .*is a file \[unreadable_home\]\n {2}Set ROWCAST_HOME/);
    }
  });

  it('refuses an invalid command line, and deletes nothing', async t => {
    const { run } = await bench(t);
    for (const args of [['delete'], ['delete', '..'], ['remove', 'one'], ['delete', 'one', 'two']]) {
      await exits(run('reports', ...args), 2);
    }
    assert.match((await run('reports')).stdout.toString(), /^one [\s\S]*^two /m);
  });
});

it('report and testing-results take report and folder from a definition, and ask for an id without one', async t => {
  const { cwd, run } = await bench(t);
  await writeFile(join(cwd, 'd.yaml'), 'home: .rowcast\nscore: { input: in.csv, report: two }\n');
  for (const [args, says] of [
    [['report', '--json'], /"id": "two"/],
    [['report', 'one', '--json'], /"id": "one"/],
    [['testing-results'], /^results\n$/],
  ] as const) {
    const { stdout } = await exits(run(...args, '--definition', 'd.yaml'), 0);
    assert.match(stdout.toString(), says);
  }
  for (const command of ['report', 'testing-results'])
    assert.match((await run(command)).stderr, /^rowcast: missing argument: ID \[usage\]/);
  const batch = await run('batch-predict', 'none.csv', '--definition', 'd.yaml');
  assert.match(batch.stderr, /none\.csv: no such file/);
});
