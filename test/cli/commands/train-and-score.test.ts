import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readlink, rename, utimes } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits, startRowcast, waitForStderr } from '../../support/rowcast.ts';
import { csv, history } from '../../support/service/history.ts';
import { slow } from '../../support/slow.ts';

/** The training data; some of its rows are the customers to score. */
const table = history({ rows: 60 });
const job = `home: home
train: { history: history.csv, predict: outcome, report: churn }
score: { input: customers.csv, output: scored.csv, report: churn }
`;
const kept = /report churn was trained from this history with these options/;

/** A folder with a definition that trains and scores, and a function that runs it. */
async function bench(t: TestContext) {
  const customers = csv(table.slice(0, 20));
  const files = { 'history.csv': csv(table), 'customers.csv': customers, 'nightly.yaml': job };
  const commands = await commandsIn(t, files);
  const { run, path } = commands;
  return {
    ...commands,
    nightly: (more = '') => run(`run nightly.yaml ${more}`),
    /** Changes whenever the report is trained. */
    version: () => readlink(path('home/reports/churn')),
    append: (name: string, text: string) => appendFile(path(name), text),
    /** The first line of the status. */
    status: async () => (await run('status scored.csv')).stdout.split('\n')[0] ?? '',
  };
}

describe('a definition that trains and scores', () => {
  it('trains once for a history and its options, and again when one of them has changed', async t => {
    const { nightly, version, append } = await bench(t);
    await exits(nightly(), 0, /training on history\.csv to predict outcome/);
    const first = await version();
    const second = await exits(nightly(), 0, kept);
    assert.equal(await version(), first);
    assert.ok(!second.stderr.includes('training on'), second.stderr);
    await exits(nightly('--set train.seed=2'), 0, /report churn is trained again: --seed has changed\n/);
    await append('history.csv', csv(table.slice(1, 3)));
    await exits(nightly(), 0, /is trained again: the history has changed, --seed has changed\n/);
    assert.notEqual(await version(), first);
  });

  slow('resumes a run that was stopped, with the same report', async t => {
    const { append, nightly, version } = await bench(t);
    await append('customers.csv', 'malformed\n');
    await exits(nightly('--max-rejects 0'), 3);
    const before = await version();
    await exits(nightly(), 1, /resuming at row/);
    assert.equal(await version(), before);
  });

  slow('has a status that says whether the next run resumes or starts over', async t => {
    const { append, path, nightly, status } = await bench(t);
    await append('customers.csv', 'malformed\n');
    await exits(nightly('--max-rejects 0'), 3);
    assert.match(await status(), /^scored\.csv: stopped: 1 of 20 rows was rejected/);
    await utimes(path('customers.csv'), 1, 1);
    assert.match(
      await status(),
      /the input was modified since, so .* only if the rows before it are the same$/,
    );
    await append('customers.csv', 'another\n');
    assert.match(
      await status(),
      /the input has changed since, so .* is refused without --restart or --restart-if-changed$/,
    );
    await exits(nightly(), 2, /\[other_work\]/);
    await rename(path('customers.csv'), path('elsewhere.csv'));
    assert.match(await status(), /resumes at row 21 once the input is there again$/);
    await append('history.csv', csv(table).split('\n').slice(1, 9).join('\n'));
    assert.match(
      await status(),
      /the history has changed since, so .* trains the report again and starts from the first row$/,
    );
    await rename(path('elsewhere.csv'), path('customers.csv'));
    const { stderr } = await nightly();
    assert.match(stderr, /is trained again: the history has changed[\s\S]* begins with the first row/);
  });

  slow('may train on several files, of which a new one trains the report again', async t => {
    const { path, write, append, nightly, version, status } = await bench(t);
    await mkdir(path('more'));
    const more = (name: string) => write(`more/${name}`, csv(table.slice(0, 11)));
    await more('a.csv');
    await more('b.csv');
    await write('nightly.yaml', job.replace('history.csv', "[history.csv, 'more/*.csv']"));
    await exits(nightly(), 0, /training on history\.csv, more\/\*\.csv \(3 files\) to predict outcome/);
    const before = await version();
    await exits(nightly(), 0, kept);
    await exits(nightly('-o more/b.csv'), 2, /the history are the same file \[output_is_input\]/);
    await append('customers.csv', 'malformed\n');
    await exits(nightly('--max-rejects 0'), 3);
    await more('c.csv');
    assert.match(await status(), /the history has changed since/);
    assert.match((await nightly()).stderr, /is trained again: the history has changed/);
    assert.notEqual(await version(), before);
    const settled = await nightly('--set train.history=history.csv');
    assert.match(settled.stderr, /training on \S*\/history\.csv to predict/);
  });

  slow('removes what a killed training has left, also if the report is kept', async t => {
    const { path, nightly } = await bench(t);
    await exits(nightly(), 0);
    const [old, fresh] = ['.churn.aaaaaaaaaaaa', '.churn.bbbbbbbbbbbb'] as const;
    for (const name of [old, fresh]) await mkdir(path(`home/reports/${name}`));
    await utimes(path(`home/reports/${old}`), 1, 1);
    await exits(nightly(), 0, /training skipped/);
    const left = await readdir(path('home/reports'));
    assert.deepEqual([left.includes(old), left.includes(fresh)], [false, true]);
  });

  slow(
    'does not replace a report that was trained by hand, unless it is the same or that is asked for',
    async t => {
      const { run, nightly, version } = await bench(t);
      const train = 'train history.csv --predict outcome --report churn --home home --seed 5';
      await exits(run(train), 0);
      const byHand = await version();
      const says =
        /there is already a report "churn" that no definition has trained \(--seed has changed\) \[report_exists\]/;
      await exits(nightly(), 2, says);
      await exits(nightly('--set train.if-exists=skip'), 0);
      await exits(nightly('--set train.seed=5'), 0); // it is the report that would be trained
      await exits(run(`${train} --if-exists skip-unchanged`), 0);
      assert.equal(await version(), byHand);
      await exits(nightly('--set train.if-exists=skip-unchanged'), 0);
      assert.notEqual(await version(), byHand);
      await exits(nightly('--set train.seed=6'), 0); // it is the report of a definition now
    },
  );

  slow('trains a damaged report again', async t => {
    const { write, nightly } = await bench(t);
    await nightly();
    await write('home/reports/churn/model.zip', '');
    await exits(nightly(), 0, /report churn is trained again: it is damaged\n/);
    await write('home/reports/churn/report.json', '');
    await exits(nightly(), 2, /\[damaged_report\]\n.*--set train\.if-exists=replace/);
    await exits(nightly('--set train.if-exists=replace'), 0);
  });

  slow(
    'starts over, and keeps what was scored until the end, when the report has changed in between',
    async t => {
      const { cwd, append, read, nightly } = await bench(t);
      await append('customers.csv', 'malformed\n');
      await nightly('--max-rejects 0');
      await append('history.csv', csv(table.slice(1, 3)));
      const says =
        /scored\.csv: the unfinished run is of different work, so it is kept as scored\.csv\.partial\.old/;
      await exits(nightly('--max-rejects 0'), 3, says);
      assert.ok((await readdir(cwd)).includes('scored.csv.checkpoint.old'));
      await exits(nightly(), 1);
      assert.equal((await read('scored.csv')).trim().split('\n').length, 20);
      assert.deepEqual(
        (await readdir(cwd)).filter(name => name.endsWith('.old')),
        [],
      );
    },
  );

  slow('still refuses an unfinished run of another input', async t => {
    const { append, write, nightly } = await bench(t);
    await append('customers.csv', 'malformed\n');
    await nightly('--max-rejects 0');
    await write('customers.csv', csv(table.slice(0, 10)));
    await exits(nightly(), 2, /the input has changed since .*\[other_work\]/);
  });

  slow('is refused next to another one that trains the same report in another way', async t => {
    const { run, write } = await bench(t);
    const other = job.replace('scored.csv', 'other.csv');
    await write('same.yaml', other);
    await write('other.yaml', other.replace('report: churn }', 'report: churn, seed: 2 }'));
    await exits(run('run nightly.yaml same.yaml'), 0);
    const says = /nightly\.yaml and other\.yaml would train the same report, churn \[same_output\]/;
    await exits(run('run nightly.yaml other.yaml'), 2, says);
  });

  slow(
    'can be killed while it trains and while it scores, and then resumes with the same report',
    async t => {
      const { cwd, write, read, nightly, version, status } = await bench(t);
      await write('customers.csv', csv([...table, ...table.slice(1), ...table.slice(1)]));
      const pace = '--max-rows-per-second 40 --batch-rows 4 --checkpoint-interval 0';
      const start = () => startRowcast(`run nightly.yaml ${pace}`.split(' '), { cwd });
      const training = start();
      await waitForStderr(training.child, /training on history\.csv/);
      training.child.kill('SIGKILL');
      await training.finished;
      await assert.rejects(version(), { code: 'ENOENT' });

      const scoring = start();
      while (!(await readdir(cwd)).includes('scored.csv.checkpoint')) await setTimeout(20);
      scoring.child.kill('SIGKILL');
      await scoring.finished;
      const before = await version();
      assert.match(await status(), /run the same command again|resume/);
      await exits(nightly(), 0, /resuming at row/);
      assert.equal(await version(), before);
      assert.equal((await read('scored.csv')).trim().split('\n').length, 181);
    },
  );
});
