import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { writeReport } from '../../../src/models/store/write-report.ts';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { reportOf } from '../../support/service/report.ts';

/** A folder with the reports `one` and `two`, and a function that runs commands in it. */
async function bench(t: TestContext) {
  const commands = await commandsIn(t);
  for (const id of ['one', 'two'])
    await writeReport(commands.path('.rowcast'), {
      report: reportOf(id),
      model: Buffer.from('model'),
      testingResults: Buffer.from('results\n'),
    });
  return commands;
}

describe('rowcast reports', () => {
  it('lists the reports, and shows which are damaged and why', async t => {
    const { run, json, path } = await bench(t);
    await appendFile(path('.rowcast/reports/two/model.zip'), 'x');
    const { stdout, stderr } = await exits(run('reports'), 0);
    assert.match(stdout, /^one +outcome +no, yes +50\.0%\ntwo +\(damaged\)$/m);
    assert.match(stderr, /the report "two" is damaged: model\.zip has changed/);
    assert.deepEqual((await json('reports --json')).reports, [
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
    assert.deepEqual((await json('reports --json --home none')).reports, []);
  });

  it('deletes a report, and fails for one that does not exist', async t => {
    const { run } = await bench(t);
    await exits(run('reports delete one'), 0, /deleted report one from .*\.rowcast/);
    assert.doesNotMatch((await run('reports')).stdout, /one/);
    await exits(run('reports delete one'), 2, /there is no report "one".*\[no_such_report\]\n {2}.*two/);
  });

  it('exits with 2 if the home is a file, and so do keys and serve', async t => {
    const { run, path } = await commandsIn(t, { home: '' });
    const says = /home\/(reports|keys): .*is a file \[unreadable_home\]\n {2}Set ROWCAST_HOME/;
    for (const line of ['reports', 'reports delete one', 'keys', 'serve --port 0'])
      await exits(run(line, { env: { ROWCAST_HOME: path('home') } }), 2, says);
  });

  it('refuses an invalid command line, and deletes nothing', async t => {
    const { run } = await bench(t);
    for (const line of ['delete', 'delete ..', 'remove one', 'delete one two'])
      await exits(run(`reports ${line}`), 2);
    assert.match((await run('reports')).stdout, /^one [\s\S]*^two /m);
  });
});

it('report and testing-results take report and folder from a definition, and ask for an id without one', async t => {
  const { run, write } = await bench(t);
  await write('d.yaml', 'home: .rowcast\nscore: { input: in.csv, report: two }\n');
  for (const [line, says] of [
    ['report --json', /"id": "two"/],
    ['report one --json', /"id": "one"/],
    ['testing-results', /^results\n$/],
  ] as const) {
    const { stdout } = await exits(run(`${line} --definition d.yaml`), 0);
    assert.match(stdout, says);
  }
  for (const command of ['report', 'testing-results'])
    assert.match((await run(command)).stderr, /^rowcast: missing argument: ID \[usage\]/);
  const batch = await run('batch-predict none.csv --definition d.yaml');
  assert.match(batch.stderr, /none\.csv: no such file/);
});
