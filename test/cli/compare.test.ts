import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { before, describe, it, type TestContext } from 'node:test';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { trainReport } from '../../src/training/train.ts';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { all, filesWith, csv as stubCsv } from '../support/scoring/files.ts';
import { csv, history, homeWith } from '../support/service/history.ts';
import { slow } from '../support/slow.ts';

let home: string;
const personas = (seed: number, amount = (text: string) => text): string =>
  csv(
    history({ rows: 1500, seed }).map(([customer = '', own = '', ...rest], row) => [
      customer,
      row === 0 ? own : amount(own),
      ...rest.slice(0, 2),
    ]),
  );
const doubled = (text: string): string => (text.trim() === '' ? text : String(2 * Number(text)));

async function folderWith(t: TestContext, files: Record<string, string>) {
  const commands = await commandsIn(t, files);
  const score = (line: string) => commands.run(`score ${line} --report r --home ${home}`);
  return { ...commands, score, summary: (name: string): Promise<Summary> => commands.jsonIn(name) };
}

const changes = ({ drift }: Summary) =>
  Object.fromEntries([
    ...(drift?.columns ?? []).map(({ name, change }) => [name, change]),
    ...Object.entries(drift?.scores ?? {}).map(([name, { change }]) => [`P(${name})`, change]),
  ]);

describe('score --compare', { timeout: 120_000 }, () => {
  before(async () => {
    const { home: folder, historyFile } = await homeWith(history({ rows: 600 }));
    home = folder;
    await trainReport({ historyFile, predict: 'outcome', home, id: 'r' });
  });

  it('names what has changed since an earlier run, and is part of the summary', async t => {
    const { score, summary } = await folderWith(t, { 'a.csv': personas(3), 'b.csv': personas(4, doubled) });
    await score('a.csv -o a.out --summary a.json');
    const { code, stderr } = await score('b.csv -o b.out --compare a.json --summary b.json');
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /compared with a\.json: significant change in .*"monthly amount" \(PSI \d\.\d\d\).*\[drift\]\n|compared with a\.json: significant change in .*"monthly amount" \(PSI \d+\.\d\d\)/,
    );
    const b = await summary('b.json');
    const found = changes(b);
    assert.equal(found['monthly amount'], 'significant');
    assert.equal(found.plan, 'none');
    assert.equal(found['P(Yes)'], 'significant');
    assert.equal(b.drift?.compared_with.run_id, (await summary('a.json')).run_id);
    assert.ok(b.warnings.some(({ code }) => code === 'drift'));
  });

  slow('finds no change in other rows from the same source, also without a summary', async t => {
    const { score } = await folderWith(t, { 'a.csv': personas(3), 'b.csv': personas(4) });
    await score('a.csv -o a.out --summary a.json');
    const { stderr } = await score('b.csv -o b.out --compare a.json');
    assert.match(stderr, /compared with a\.json: no significant change; most in .* \(PSI 0\.0\d\)/);
  });

  it('compares each of several files, and all together, with the same run', async t => {
    const { score, summary, read } = await folderWith(t, {
      'a.csv': personas(3),
      'b.csv': personas(4, doubled),
      'c.csv': personas(5),
    });
    await score('a.csv c.csv -o {name}.out --summary first.json');
    const first = await summary('first.json');
    assert.equal(
      first.columns?.[0]?.ranges?.rows.reduce((sum, rows) => sum + rows, first.columns[0].missing),
      3000,
    );
    const results = '--summary second.json --metrics second.prom';
    const options = `--compare first.json ${results} --if-exists replace`;
    const { stderr } = await score(`a.csv b.csv c.csv -o {name}.out ${options}`);
    const { runs, ...total } = await summary('second.json');
    assert.deepEqual(
      Array.from(runs ?? [], run => changes(run)['monthly amount']),
      ['none', 'significant', 'none'],
    );
    assert.notEqual(changes(total as Summary)['monthly amount'], 'none');
    const psi = total.drift?.columns.find(({ name }) => name === 'monthly amount')?.psi;
    assert.match(
      await read('second.prom'),
      new RegExp(`^rowcast_run_column_psi\\{.*,column="monthly amount"\\} ${psi}$`, 'm'),
    );
    assert.equal(stderr.match(/compared with/g)?.length, 2, stderr);
  });

  it('stops before the output appears when a column or the predictions have changed by more than --max-drift; a higher one resumes', async t => {
    const { score, summary, read, path } = await folderWith(t, {
      'a.csv': personas(3),
      'b.csv': personas(4, doubled),
    });
    await score('a.csv -o a.out --summary a.json');
    const b = 'b.csv -o b.out --compare a.json --summary b.json --metrics b.prom';
    await exits(
      score(`${b} --max-drift 0.25`),
      3,
      /rowcast: (?:b\.csv: )?the data has changed, compared with a\.json: (?:.*, )?"monthly amount" \(PSI \d+\.\d\d\).* \[too_much_drift\]\n.*--max-drift/,
    );
    assert.equal(existsSync(path('b.out')), false);
    const stopped = await summary('b.json');
    assert.deepEqual([stopped.status, stopped.error?.code], ['stopped', 'too_much_drift']);
    const psi = stopped.drift?.columns.find(({ name }) => name === 'monthly amount')?.psi;
    const metrics = await read('b.prom');
    assert.match(metrics, new RegExp(`^rowcast_run_column_psi\\{.*,column="monthly amount"\\} ${psi}$`, 'm'));
    assert.match(metrics, /^rowcast_run_exit_code\{.*\} 3$/m);
    await exits(score(`${b} --max-drift 99`), 0, /resuming at row 1,501/);
    await exits(score('a.csv -o c.out --compare a.json --max-drift 0.01'), 0);
  });

  it('needs something to compare with for --max-drift', async t => {
    const { score } = await folderWith(t, { 'a.csv': personas(3) });
    for (const output of ['a.out', '{name}.out']) {
      const says = /--max-drift has no effect without --compare \[usage\]/;
      await exits(score(`a.csv -o ${output} --max-drift 0.25`), 2, says);
    }
  });

  it('does not stop because of what chance alone does to a few rows', async t => {
    const rows = (seed: number, count: number) =>
      personas(seed)
        .split('\n')
        .slice(0, count + 1)
        .join('\n');
    const { score, summary } = await folderWith(t, { 'a.csv': personas(3), 'b.csv': `${rows(4, 40)}\n` });
    await score('a.csv -o a.out --summary a.json');
    const { code, stderr } = await score('b.csv -o b.out --compare a.json --max-drift 0.25 --summary b.json');
    const { drift } = await summary('b.json');
    const largest = Math.max(...(drift?.columns ?? []).map(({ psi }) => psi ?? 0));
    assert.ok(largest > 0.25, `PSI ${largest}`);
    assert.equal(code, 0, stderr);
  });

  slow('stops the joined shards of a run as a single process', async t => {
    const { score, path } = await folderWith(t, { 'a.csv': personas(3), 'b.csv': personas(4, doubled) });
    await score('a.csv -o a.out --summary a.json');
    const b = 'b.csv -o b.out --compare a.json --max-drift 0.25 --workers 1';
    const says = /\[too_much_drift\]/;
    await exits(score(b), 3, says);
    assert.equal(existsSync(path('b.out')), false);
  });

  slow('takes its paths relative to a definition, and so does the web page', async t => {
    const { score, summary, read, path, write, run } = await folderWith(t, {
      'a.csv': personas(3),
      'b.csv': personas(4),
    });
    await score('a.csv -o a.out --summary a.json');
    await mkdir(path('nightly'));
    const files =
      'input: ../b.csv\n  output: b.out\n  compare: ../a.json\n  summary: b.json\n  summary-html: b.html';
    await write('nightly/b.yaml', `score:\n  ${files}\n  report: r\n`);
    await exits(run(`run nightly/b.yaml --trust-definition --home ${home}`), 0);
    assert.equal(changes(await summary('nightly/b.json'))['monthly amount'], 'none');
    assert.match(await read('nightly/b.html'), /badge good">none/);
  });

  slow('compares the scores of a hosted report that says nothing about its training', async t => {
    const { score, summary } = await filesWith(t, { 'a.csv': stubCsv(500), 'b.csv': stubCsv(500, 1000) });
    await score('a.csv -o a.out --summary a.json');
    await exits(score('b.csv -o b.out --compare a.json --summary s.json'), 0);
    assert.deepEqual(changes(await summary()), { id: null, amount: null, 'P(no)': 'none', 'P(yes)': 'none' });
  });

  it('refuses the summary that the run would replace, before any request', async t => {
    const { score, stub, summary } = await filesWith(t, { 'in/a.csv': stubCsv(5), 'in/b.csv': stubCsv(5) });
    await score(all);
    const requests = stub.bodies.length;
    await exits(score(`${all} --compare s.json`), 2, /\[output_is_input\]/);
    assert.equal(stub.bodies.length, requests);
    assert.equal((await summary()).status, 'finished');
  });

  it('warns of a comparison that is not there, and scores all the same', async t => {
    const { score, read } = await filesWith(t, { 'in/a.csv': stubCsv(5), 'in/b.csv': stubCsv(5) });
    for (const [file, reason, name] of [
      ['last', 'no good run of this output is known yet', 'a'],
      ['monday.json', 'monday.json: no such file', 'b'],
      ['in/a.csv', 'in/a.csv is not the summary of a run', 'c'],
    ] as const) {
      const files = `in/a.csv -o ${name}.out --summary ${name}.json`;
      const { stderr } = await exits(score(`${files} --compare ${file}`), 0);
      assert.ok(stderr.includes(`rowcast: nothing to compare with: ${reason}\n`), stderr);
      const { warnings, drift, scores } = JSON.parse(await read(`${name}.json`));
      assert.deepEqual(warnings, [{ code: 'no_comparison', message: `nothing to compare with: ${reason}` }]);
      assert.equal(drift, null);
      assert.ok(scores.yes.ranges.rows.length > 1);
    }
    const many = await exits(score(`${all} --compare monday.json`), 0);
    assert.equal(many.stderr.match(/nothing to compare with/g)?.length, 1, many.stderr);
  });
});
