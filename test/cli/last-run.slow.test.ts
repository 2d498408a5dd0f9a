import assert from 'node:assert/strict';
import { rm, utimes } from 'node:fs/promises';
import { relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { exits } from '../support/in-process.ts';
import { all, csv, filesWith } from '../support/scoring/files.ts';

const one = 'in/a.csv -o a.out --summary s.json --metrics m.prom';
const again = `${one} --if-exists skip-unchanged`;

async function nights(t: TestContext, files: Record<string, string>) {
  const { score, summary, cwd, read, write, path, run, jsonIn, stub } = await filesWith(t, files);
  let times = 1_700_000_000;
  const give = async (name: string, text: string): Promise<void> => {
    await write(name, text);
    // Another night has another time.
    times++;
    await utimes(path(name), times, times);
  };
  const metric = async (name: string): Promise<string | undefined> =>
    new RegExp(`^rowcast_run_${name}[{].*?[}] (.*)$`, 'm').exec(await read('m.prom'))?.[1];
  const define = async (day: string, definition: string) => {
    await write('night.yaml', definition);
    return run('run night.yaml --trust-definition', { env: { ROWCAST_DAY: day } });
  };
  /** The record of runs beside the outputs. */
  const ledger = () => jsonIn('out/.rowcast-runs.json');
  return { score, summary, cwd, read, write, path, run, stub, give, metric, define, ledger };
}

describe('a run that is skipped', { timeout: 120_000 }, () => {
  it('has the facts of the finished one beside it, in the summary, the metrics and the page', async t => {
    const { score, summary, read, metric } = await nights(t, { 'in/a.csv': csv(500) });
    await score(again);
    const finished = await summary();
    assert.equal(finished.last, null);
    await exits(score(`${again} --summary-html s.html`), 0);
    const { status, last, rows } = await summary();
    assert.deepEqual([status, rows.read], ['skipped', 0]);
    const { run_id, finished_at, scores, columns } = finished;
    assert.deepEqual(last.rows, { read: 500, scored: 500, rejected: 0 });
    assert.deepEqual(
      [last.run_id, last.finished_at, last.scores, last.columns],
      [run_id, finished_at, scores, columns],
    );
    assert.equal(await metric('rows'), '500');
    assert.match(await read('m.prom'), /status="skipped"/);
    assert.equal(await metric('last_rows'), '500');
    assert.equal(await metric('last_end_time_seconds'), String(Date.parse(finished_at) / 1000));
    const page = await read('s.html');
    assert.match(page, /Nothing was scored now\. .* of the run that finished at/s);
    assert.match(page, /<span class="tile-value">500<\/span>/);
  });

  it('has them for each of several files, of which some are scored', async t => {
    const { score, summary, give, metric } = await nights(t, { 'in/a.csv': csv(5), 'in/b.csv': csv(6) });
    const metrics = `${all} --metrics m.prom`;
    await score(metrics);
    await give('in/b.csv', csv(7));
    await score(metrics);
    const { status, last, runs, rows } = await summary();
    assert.deepEqual([status, last, rows.read], ['finished', null, 7]);
    assert.deepEqual([runs[0].status, runs[0].last.rows.read, runs[1].last], ['skipped', 5, null]);
    assert.deepEqual([await metric('rows'), await metric('last_rows')], ['7', '12']);
    await score(metrics);
    const repeated = await summary();
    assert.deepEqual([repeated.status, repeated.last.rows.read], ['skipped', 12]);
    assert.equal(await metric('rows'), '12');
  });

  it('of which no run is known has no rows in the metrics, instead of none', async t => {
    const { score, path, read } = await nights(t, { 'in/a.csv': csv(5), 'a.out': '' });
    await rm(path('s.json'), { force: true });
    await score(`${one} --if-exists skip`);
    assert.doesNotMatch(await read('m.prom'), /^rowcast_run_rows/m);
  });
});

describe('a run that was refused', { timeout: 120_000 }, () => {
  for (const options of ['', '--if-exists skip-unchanged'])
    it(`says so, and keeps the facts of the last good one beside that, ${options}`, async t => {
      const { score, summary, path, metric, give } = await nights(t, { 'in/a.csv': csv(500) });
      await score(`${one} ${options}`);
      const { scores, run_id } = await summary();
      await rm(path('in/a.csv'));
      for (const _ of ['tuesday', 'wednesday']) {
        const { code } = await score(`${one} ${options}`);
        assert.notEqual(code, 0);
        const { last, runs, exit_code, ...own } = await summary();
        const { error } = runs?.[0] ?? own;
        assert.deepEqual([error.code, exit_code], ['no_such_file', code]);
        assert.deepEqual([last.run_id, last.scores], [run_id, scores]);
        assert.deepEqual([await metric('exit_code'), await metric('last_exit_code')], [String(code), '0']);
        assert.equal(await metric('last_rows'), '500');
      }
      await give('in/a.csv', csv(500, 7));
      await exits(score(`${one} ${options} --compare last`), 0);
      const { last, drift } = await summary();
      assert.deepEqual([last, drift.compared_with.run_id], [null, run_id]);
    });

  it('of an empty input is no good one', async t => {
    const { score, summary, give } = await nights(t, { 'in/a.csv': csv(500) });
    await score(`${one} --compare last`);
    const { run_id } = await summary();
    await give('in/a.csv', 'id,amount\n');
    await score(`${one} --compare last`);
    await give('in/a.csv', csv(500));
    await score(`${one} --compare last`);
    assert.equal((await summary()).drift.compared_with.run_id, run_id);
  });
});

describe('compare: last', { timeout: 120_000 }, () => {
  it('knows the last good run of a definition whose outputs have another name every day', async t => {
    const { define, summary, path, give, ledger } = await nights(t, {
      'in/01.csv': csv(500),
      'in/02.csv': csv(500, 5),
    });
    const definition = `
score:
  input: in/\${ROWCAST_DAY}.csv
  output: out/\${ROWCAST_DAY}/scored.csv
  report: r
  compare: last
  summary: s.json`;
    await define('01', definition);
    const first = await summary();
    await rm(path('s.json'));
    await exits(define('02', definition), 0, /compared with the last good run: /);
    assert.equal((await summary()).drift.compared_with.run_id, first.run_id);
    assert.deepEqual(Object.keys((await ledger()).last), [`\${ROWCAST_DAY}/scored.csv`]);
    await give('in/03.csv', csv(500));
    await exits(define('03', `${definition}\n  if-same-as-last: fail`), 0);
    await give('in/04.csv', csv(500));
    const says = /in\/04\.csv: the input has the same bytes .*\[same_as_last\]/;
    await exits(define('04', `${definition}\n  if-same-as-last: fail`), 3, says);
  });
});

describe('a record of runs that is damaged', { timeout: 120_000 }, () => {
  for (const [what, command] of Object.entries({ 'a single file': one, 'many files': all }))
    it(`is warned of by a run of ${what}, and written anew`, async t => {
      const { score, give, write } = await nights(t, { 'in/a.csv': csv(50) });
      const night = `${command} --compare last`;
      await score(night);
      await write(command === all ? 'out/.rowcast-runs.json' : '.rowcast-runs.json', '{');
      await give('in/a.csv', csv(50, 7));
      const { stderr } = await exits(score(night), 0);
      assert.equal(
        stderr.match(/\.rowcast-runs\.json: the record of finished runs cannot be read/g)?.length,
        1,
      );
      await give('in/a.csv', csv(50, 9));
      assert.match((await score(night)).stderr, /compared with the last good run/);
    });
});

describe('the rejects in the summary of a run that was stopped', { timeout: 120_000 }, () => {
  it('are named where they are', async t => {
    const { score, summary, cwd, read } = await nights(t, { 'in/a.csv': `${csv(50)}1,2,3\n` });
    await exits(score(`${one} --max-rejects 0`), 3);
    const { rejects } = await summary();
    assert.match(await read(relative(cwd, rejects)), /1,2,3/);
  });
});

describe('a night of several files that is finished in two attempts', { timeout: 120_000 }, () => {
  it('neither is compared as a whole nor takes the place of what all files had', async t => {
    const { score, give, summary, ledger } = await nights(t, { 'in/a.csv': csv(500), 'in/b.csv': csv(400) });
    const night = `${all} --compare last`;
    await score(night);
    const { run_id } = await summary();
    await give('in/a.csv', csv(500, 5));
    await give('in/b.csv', csv(400, 5).replace('amount', 'Sum'));
    await exits(score(night), 3);
    await give('in/b.csv', csv(400, 5));
    await exits(score(night), 0, /all files together are not compared/);
    const part = await summary();
    assert.deepEqual([part.rows.read, part.drift], [400, null]);
    const { last } = await ledger();
    assert.equal(last['{name}.csv'].rows.read, 900);
    assert.equal(last['{name}.csv'].digests.length, 2);
    await give('in/a.csv', csv(500, 9));
    await give('in/b.csv', csv(400, 9));
    await exits(score(`${night} --min-rows 100%`), 0);
    const { compared_with } = (await summary()).drift;
    assert.deepEqual([compared_with.run_id, compared_with.rows], [run_id, 900]);
  });

  it('but files that the last good run has skipped or scored are no part of the next one', async t => {
    const { score, give, summary } = await nights(t, { 'in/a.csv': csv(500) });
    const night = `${all} --compare last`;
    await score(night);
    await give('in/b.csv', csv(400, 5));
    await score(night);
    const { run_id } = await summary();
    await give('in/c.csv', csv(300, 9));
    await score(night);
    const { compared_with } = (await summary()).drift;
    assert.deepEqual([compared_with.run_id, compared_with.rows], [run_id, 400]);
  });
});

describe('a summary file that two commands write', { timeout: 120_000 }, () => {
  it('does not make the run of one output the last good one of another', async t => {
    const { score, summary, give, path } = await nights(t, { 'in/a.csv': csv(50) });
    await score(one);
    await give('in/b.csv', csv(50));
    const other = 'in/b.csv -o b.out --summary s.json --if-same-as-last fail';
    await exits(score(other), 0);
    await rm(path('in/a.csv'));
    assert.notEqual((await score(one)).code, 0);
    assert.equal((await summary()).last, null);
  });
});

describe('--min-rows', { timeout: 120_000 }, () => {
  it('stops before the output appears, and a lower one finishes', async t => {
    const { score, read, summary } = await nights(t, { 'in/a.csv': csv(5) });
    const says = /in\/a\.csv: there are 5 rows, fewer than 6 \[under_min_rows\]/;
    await exits(score(`${one} --min-rows 6`), 3, says);
    await assert.rejects(read('a.out'));
    assert.equal((await summary()).error.code, 'under_min_rows');
    await exits(score(`${one} --min-rows 5`), 0);
    assert.match(await read('a.out'), /^r4,/m);
  });

  it('as a percentage is of the last good run, and has no effect on the first', async t => {
    const { score, give } = await nights(t, { 'in/a.csv': csv(100) });
    const night = `${one} --min-rows 90% --restart-if-changed`;
    await exits(score(night), 0, /--min-rows 90% has no effect: no good run of this output is known yet/);
    await give('in/a.csv', csv(89));
    await exits(score(night), 3, /there are 89 rows, fewer than 90% of the 100 of the last good run/);
    await give('in/a.csv', csv(90, 7));
    await exits(score(night), 0);
  });

  it('of a pipe leaves a run that only --restart discards, because a pipe cannot be read again', async t => {
    const { run } = await nights(t, {});
    const pipe = (stdin: string, more: string) => run(`score --report r -o a.out ${more}`, { stdin });
    await exits(pipe(csv(5), '--min-rows 6'), 3);
    const says = /\[other_work\]\n.* use --restart, which discards that run: a pipe cannot be read again\./;
    await exits(pipe(csv(8, 7), '--restart-if-changed'), 2, says);
    await exits(pipe(csv(8, 7), '--restart'), 0);
  });

  it('leaves the output of a single file as it is, also if an unchanged one is skipped; so does --max-rejects', async t => {
    const { score, give, read } = await nights(t, { 'in/a.csv': csv(100) });
    const night = `${again} --restart-if-changed --min-rows 90% --max-rejects 5%`;
    await exits(score(night), 0);
    const before = await read('a.out');
    for (const [text, code] of [
      [csv(89), 'under_min_rows'],
      [csv(100).replaceAll(/^(r9\d),.*$/gm, '$1'), 'too_many_rejects'],
    ] as const) {
      await give('in/a.csv', text);
      const end = await exits(score(night), 3);
      assert.ok(end.stderr.includes(`[${code}]`), end.stderr);
      assert.equal(await read('a.out'), before);
    }
  });

  it('is of all files together, also those that are unchanged, in the log, the summary and status', async t => {
    const { score, give, read, summary, run } = await nights(t, { 'in/a.csv': csv(50), 'in/b.csv': csv(50) });
    const night = `${all} --min-rows 90%`;
    const stateOf = async (name: string) => {
      const { stdout, code } = await run(`status ${name}`);
      return { code, text: stdout };
    };
    await exits(score(night), 0);
    await give('in/b.csv', csv(30, 7));
    for (const scored of ['1 scored, 1 unchanged or skipped; 30 rows', '2 unchanged or skipped; 0 rows']) {
      const { stderr } = await exits(score(night), 3);
      assert.ok(stderr.includes(`rowcast: 2 files: ${scored} scored`), stderr);
      assert.match(
        stderr,
        /there are 80 rows, fewer than 90% of the 100 of the last good run \[under_min_rows\]/,
      );
      const { status, error, exit_code, runs } = await summary();
      assert.deepEqual([status, error.code, exit_code, runs.length], ['stopped', 'under_min_rows', 3, 2]);
      for (const name of ['out', 'out/{name}.csv']) {
        const state = await stateOf(name);
        assert.equal(state.code, 3);
        assert.match(
          state.text,
          /2 finished\n {2}out\/\{name\}\.csv: of all files together, there are 80 rows, .* \[under_min_rows\]\n$/,
        );
      }
    }
    assert.match(await read('out/b.csv'), /^r29,/m);
    await give('in/b.csv', csv(45, 9));
    await exits(score(night), 0);
    assert.deepEqual(await stateOf('out'), { code: 0, text: 'out: 2 runs: 2 finished\n' });
  });

  it('that is lowered makes the night a good one, although all of its files were scored before', async t => {
    const { score, give, summary, metric, ledger } = await nights(t, {
      'in/a.csv': csv(50),
      'in/b.csv': csv(50),
    });
    const night = `${all} --metrics m.prom --min-rows`;
    await exits(score(`${night} 90%`), 0);
    await give('in/b.csv', csv(30, 7));
    await exits(score(`${night} 90%`), 3);
    await exits(score(`${night} 50%`), 0);
    const { status, run_id, last } = await summary();
    assert.deepEqual([status, last.run_id, last.rows.read], ['skipped', run_id, 80]);
    assert.equal(await metric('rows'), '80');
    const record = await ledger();
    assert.deepEqual([record.last['{name}.csv'].run_id, record.refused], [run_id, {}]);
    await exits(score(`${night} 100%`), 0);
    assert.equal((await summary()).last.run_id, run_id);
  });

  it('or --max-rejects that stops many files at their end stops the next attempt, too', async t => {
    const bad = csv(10).replaceAll(/^(r[5-9]),.*$/gm, '$1');
    const { score, run } = await nights(t, { 'in/a.csv': bad, 'in/b.csv': csv(10) });
    const night = `${all} --rejects-ok 100% --max-rejects`;
    await exits(score(`${night} 10%`), 3);
    await exits(
      score(`${night} 10%`),
      3,
      /2 files: 2 unchanged or skipped/,
      /5 of 20 rows of all files were rejected \[too_many_rejects\]/,
    );
    await exits(run('status out'), 3);
    await exits(score(`${night} 30%`), 0);
    await exits(score(`${night} 10%`), 0);
  });
});

describe('--if-same-as-last', { timeout: 120_000 }, () => {
  const same = { 'in/a.csv': csv(50) };

  it('warns of the bytes of the last good run by default, if there is a summary', async t => {
    const { score, give, summary, stub } = await nights(t, same);
    await score(one);
    const requests = stub.bodies.length;
    await give('in/a.csv', csv(50));
    const says = /in\/a\.csv: the input has the same bytes as an input of the last good run, which/;
    await exits(score(one), 0, says);
    assert.equal((await summary()).warnings[0].code, 'same_as_last');
    assert.ok(stub.bodies.length > requests);
    await give('in/a.csv', csv(50, 3));
    assert.doesNotMatch((await score(one)).stderr, /same bytes/);
  });

  it('fails, or skips, before anything is sent', async t => {
    const { score, give, summary, stub, metric } = await nights(t, same);
    await score(one);
    const requests = stub.bodies.length;
    await give('in/a.csv', csv(50));
    await exits(score(`${one} --if-same-as-last fail`), 3);
    const { stderr } = await exits(score(`${one} --if-same-as-last skip`), 0, /; it is skipped\n/);
    assert.doesNotMatch(stderr, /already exists/);
    const { status, last } = await summary();
    assert.deepEqual([status, last.rows.read, await metric('rows')], ['skipped', 50, '50']);
    assert.equal(stub.bodies.length, requests);
  });

  it('is of any of several files, but not of one that is unchanged, or is scored again for another reason', async t => {
    const { score, give, summary } = await nights(t, { 'in/a.csv': csv(50), 'in/b.csv': csv(60) });
    await score(all);
    await give('in/c.csv', csv(60));
    const says = /in\/c\.csv has the same bytes as files of the last good run; it is skipped/;
    await exits(score(`${all} --if-same-as-last skip`), 0, says);
    const { runs, warnings } = await summary();
    assert.deepEqual(
      runs.map((run: { status: string }) => run.status),
      ['skipped', 'skipped', 'skipped'],
    );
    assert.equal(warnings[0].code, 'same_as_last');
    const other = await score(`${all} --decimals 3`);
    assert.match(other.stderr, /3 scored/);
    assert.match(other.stderr, /in\/c\.csv has the same bytes/);
  });
});

describe('files that are delivered again with the same bytes', { timeout: 120_000 }, () => {
  const two = { 'in/a.csv': csv(50), 'in/b.csv': csv(60) };

  it('are skipped with a warning, and then they are unchanged', async t => {
    const { score, give, summary, stub } = await nights(t, two);
    await score(all);
    const requests = stub.bodies.length;
    await give('in/a.csv', csv(50));
    await give('in/b.csv', csv(60));
    await exits(
      score(all),
      0,
      /in\/a\.csv and 1 other file were delivered again with the same bytes; they are skipped\n/,
      /2 files: 2 unchanged or skipped/,
    );
    assert.equal(stub.bodies.length, requests);
    const { runs, last } = await summary();
    assert.deepEqual([runs[0].status, runs[0].warnings[0].code], ['skipped', 'same_as_last']);
    assert.equal(last.rows.read, 110);
    assert.doesNotMatch((await score(all)).stderr, /delivered again/);
  });

  it('are scored again if a byte or an option is another one', async t => {
    const { score, give } = await nights(t, two);
    await score(all);
    await give('in/a.csv', csv(50).replace('r9,', 'x9,'));
    await give('in/b.csv', csv(60));
    assert.match((await score(all)).stderr, /2 files: 1 scored, 1 unchanged or skipped/);
    await give('in/b.csv', csv(60));
    assert.match((await score(`${all} --decimals 3`)).stderr, /2 files: 2 scored/);
  });

  it('are refused after a good night with --if-same-as-last fail, and skipped in one that is not done', async t => {
    const { score, give, stub } = await nights(t, { ...two, 'in/b.csv': 'id,other\n1,2\n' });
    const night = `${all} --if-same-as-last fail`;
    await exits(score(night), 3);
    const requests = stub.bodies.length;
    await give('in/a.csv', csv(50));
    await exits(score(night), 3, /in\/a\.csv was delivered again with the same bytes; it is skipped/);
    assert.equal(stub.bodies.length, requests);
    await give('in/b.csv', csv(60));
    await exits(score(night), 0);
    await give('in/a.csv', csv(50));
    await exits(score(night), 3, /the input has the same bytes as an input of the last good run/);
  });
});
