import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { rowcast } from '../../support/in-process.ts';
import { exits, startRowcast, waitForStderr } from '../../support/rowcast.ts';
import { csv } from '../../support/service/history.ts';
import { slow } from '../../support/slow.ts';
import { nightly, table } from './nightly.ts';

describe('a definition that trains and scores', () => {
  it('is repeatable: it trains once for a history and its options', async t => {
    const { run, version } = await nightly(t);
    assert.match((await run()).stderr, /training on history\.csv to predict outcome/);
    const first = await version();
    const second = await run();
    assert.deepEqual([second.code, await version()], [0, first], second.stderr);
    assert.match(second.stderr, /report churn was trained from this history with these options/);
    assert.ok(!second.stderr.includes('training on'), second.stderr);
  });

  slow('resumes a run that was stopped, with the same report', async t => {
    const { cwd, run, version } = await nightly(t);
    await appendFile(join(cwd, 'customers.csv'), 'malformed\n');
    assert.equal((await run('--max-rejects', '0')).code, 3);
    const before = await version();
    const { code, stderr } = await run();
    assert.deepEqual([code, await version()], [1, before], stderr);
    assert.match(stderr, /resuming at row/);
  });

  slow('has a status that says whether the next run resumes or starts over', async t => {
    const { cwd, run } = await nightly(t);
    const customers = join(cwd, 'customers.csv');
    await appendFile(customers, 'malformed\n');
    assert.equal((await run('--max-rejects', '0')).code, 3);
    const status = async (): Promise<string> => {
      const { stdout } = await rowcast(['status', 'scored.csv'], { cwd });
      return stdout.toString().split('\n')[0] ?? '';
    };
    assert.match(await status(), /^scored\.csv: stopped: 1 of 20 rows was rejected/);
    await utimes(customers, 1, 1);
    assert.match(
      await status(),
      /the input was modified since, so .* only if the rows before it are the same$/,
    );
    await appendFile(customers, 'another\n');
    assert.match(
      await status(),
      /the input has changed since, so .* is refused without --restart or --restart-if-changed$/,
    );
    assert.match((await run()).stderr, /\[other_work\]/);
    await rename(customers, join(cwd, 'elsewhere.csv'));
    assert.match(await status(), /resumes at row 21 once the input is there again$/);
    await appendFile(join(cwd, 'history.csv'), csv(table).split('\n').slice(1, 9).join('\n'));
    assert.match(
      await status(),
      /the history has changed since, so .* trains the report again and starts from the first row$/,
    );
    await rename(join(cwd, 'elsewhere.csv'), customers);
    const { stderr } = await run();
    assert.match(stderr, /is trained again: the history has changed[\s\S]* begins with the first row/);
  });

  slow('may train on several files, of which a new one trains the report again', async t => {
    const { cwd, run, version } = await nightly(t);
    await mkdir(join(cwd, 'more'));
    const more = (name: string) => writeFile(join(cwd, 'more', name), csv(table.slice(0, 11)));
    await more('a.csv');
    await more('b.csv');
    const text = await readFile(join(cwd, 'nightly.yaml'), 'utf8');
    await writeFile(join(cwd, 'nightly.yaml'), text.replace('history.csv', "[history.csv, 'more/*.csv']"));
    const first = await run();
    assert.match(first.stderr, /training on history\.csv, more\/\*\.csv \(3 files\) to predict outcome/);
    const before = await version();
    assert.match((await run()).stderr, /was trained from this history with these options/);
    assert.match((await run('-o', 'more/b.csv')).stderr, /the history are the same file \[output_is_input\]/);
    await appendFile(join(cwd, 'customers.csv'), 'malformed\n');
    assert.equal((await run('--max-rejects', '0')).code, 3);
    await more('c.csv');
    const { stdout } = await rowcast(['status', 'scored.csv'], { cwd });
    assert.match(stdout.toString(), /the history has changed since/);
    assert.match((await run()).stderr, /is trained again: the history has changed/);
    assert.notEqual(await version(), before);
    const settled = await run('--set', 'train.history=history.csv');
    assert.match(settled.stderr, /training on \S*\/history\.csv to predict/);
  });

  slow('removes what a killed training has left, also if the report is kept', async t => {
    const { cwd, run } = await nightly(t);
    assert.equal((await run()).code, 0);
    const [old, fresh] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map(mark => `.churn.${mark}`);
    for (const name of [old, fresh]) await mkdir(join(cwd, `home/reports/${name}`));
    await utimes(join(cwd, `home/reports/${old}`), 1, 1);
    assert.match((await run()).stderr, /training skipped/);
    const left = await readdir(join(cwd, 'home/reports'));
    assert.deepEqual([left.includes(`${old}`), left.includes(`${fresh}`)], [false, true]);
  });

  it('does not replace a report that was trained by hand', async t => {
    const { cwd, run, version } = await nightly(t);
    await rowcast(['train', 'history.csv', '--predict', 'outcome', '--report', 'churn', '--home', 'home'], {
      cwd,
    });
    const byHand = await version();
    const refused = await run('--set', 'train.seed=5');
    assert.deepEqual([refused.code, await version()], [2, byHand]);
    assert.match(
      refused.stderr,
      /there is already a report "churn" that no definition has trained \(--seed has changed\) \[report_exists\]/,
    );
    assert.equal((await run()).code, 0, 'it is the report that would be trained');
    assert.equal(await version(), byHand);
  });

  slow('trains once for a history and its options, and again when one of them has changed', async t => {
    const { cwd, run, version } = await nightly(t);
    assert.equal((await run()).code, 0);
    const first = await version();
    const second = await run();
    assert.deepEqual([second.code, await version()], [0, first], second.stderr);
    assert.match(second.stderr, /report churn was trained from this history with these options/);

    const seeded = await run('--set', 'train.seed=2');
    assert.match(seeded.stderr, /report churn is trained again: --seed has changed\n/);
    await appendFile(join(cwd, 'history.csv'), csv(table.slice(1, 3)));
    await exits(run(), 0, /is trained again: the history has changed, --seed has changed\n/);
    assert.notEqual(await version(), first);
  });

  slow('trains a damaged report again', async t => {
    const { cwd, run } = await nightly(t);
    await run();
    await writeFile(join(cwd, 'home/reports/churn/model.zip'), '');
    await exits(run(), 0, /report churn is trained again: it is damaged\n/);
    await writeFile(join(cwd, 'home/reports/churn/report.json'), '');
    await exits(run(), 2, /\[damaged_report\]\n.*--set train\.if-exists=replace/);
    assert.equal((await run('--set', 'train.if-exists=replace')).code, 0);
  });

  slow(
    'starts over, and keeps what was scored until the end, when the report has changed in between',
    async t => {
      const { cwd, run } = await nightly(t);
      await appendFile(join(cwd, 'customers.csv'), 'malformed\n');
      await run('--max-rejects', '0');
      await appendFile(join(cwd, 'history.csv'), csv(table.slice(1, 3)));
      await exits(
        run('--max-rejects', '0'),
        3,
        /scored\.csv: the unfinished run is of different work, so it is kept as scored\.csv\.partial\.old/,
      );
      assert.ok((await readdir(cwd)).includes('scored.csv.checkpoint.old'));
      await exits(run(), 1);
      assert.equal((await readFile(join(cwd, 'scored.csv'), 'utf8')).trim().split('\n').length, 20);
      assert.deepEqual(
        (await readdir(cwd)).filter(name => name.endsWith('.old')),
        [],
      );
    },
  );

  slow('still refuses an unfinished run of another input', async t => {
    const { cwd, run } = await nightly(t);
    await appendFile(join(cwd, 'customers.csv'), 'malformed\n');
    await run('--max-rejects', '0');
    await writeFile(join(cwd, 'customers.csv'), csv(table.slice(0, 10)));
    await exits(run(), 2, /the input has changed since .*\[other_work\]/);
  });

  slow(
    'does not replace a report that was trained by hand, unless it is the same or that is asked for',
    async t => {
      const { cwd, run, version } = await nightly(t);
      const train = (...args: string[]) =>
        rowcast(
          ['train', 'history.csv', '--predict', 'outcome', '--report', 'churn', '--home', 'home', ...args],
          { cwd },
        );
      assert.equal((await train('--seed', '5')).code, 0);
      const byHand = await version();
      const refused = await run();
      assert.deepEqual([refused.code, await version()], [2, byHand]);
      assert.match(
        refused.stderr,
        /there is already a report "churn" that no definition has trained \(--seed has changed\) \[report_exists\]/,
      );
      assert.equal((await run('--set', 'train.if-exists=skip')).code, 0);
      assert.equal((await run('--set', 'train.seed=5')).code, 0);
      assert.equal(await version(), byHand);
      assert.equal((await train('--if-exists', 'skip-unchanged', '--seed', '5')).code, 0);
      assert.equal(await version(), byHand);
      assert.equal((await run('--set', 'train.if-exists=skip-unchanged')).code, 0);
      assert.notEqual(await version(), byHand);
      assert.equal((await run('--set', 'train.seed=6')).code, 0, 'it is the report of a definition now');
    },
  );

  slow('is refused next to another one that trains the same report in another way', async t => {
    const { cwd, run } = await nightly(t);
    const text = await readFile(join(cwd, 'nightly.yaml'), 'utf8');
    const other = text.replace('scored.csv', 'other.csv');
    await writeFile(join(cwd, 'same.yaml'), other);
    await writeFile(join(cwd, 'other.yaml'), other.replace('report: churn }', 'report: churn, seed: 2 }'));
    await exits(run('same.yaml'), 0);
    await exits(
      run('other.yaml'),
      2,
      /nightly\.yaml and other\.yaml would train the same report, churn \[same_output\]/,
    );
  });

  slow(
    'can be killed while it trains and while it scores, and then resumes with the same report',
    async t => {
      const { cwd, run, version } = await nightly(t);
      await writeFile(join(cwd, 'customers.csv'), csv([...table, ...table.slice(1), ...table.slice(1)]));
      const args = 'run nightly.yaml --max-rows-per-second 40 --batch-rows 4 --checkpoint-interval 0'.split(
        ' ',
      );
      const training = startRowcast(args, { cwd });
      await waitForStderr(training.child, /training on history\.csv/);
      training.child.kill('SIGKILL');
      await training.finished;
      await assert.rejects(version(), { code: 'ENOENT' });

      const scoring = startRowcast(args, { cwd });
      while (!(await readdir(cwd)).includes('scored.csv.checkpoint')) await setTimeout(20);
      scoring.child.kill('SIGKILL');
      await scoring.finished;
      const before = await version();
      const status = await rowcast(['status', 'scored.csv'], { cwd });
      assert.match(status.stdout.toString(), /run the same command again|resume/);
      const { code, stderr } = await run();
      assert.deepEqual([code, await version()], [0, before], stderr);
      assert.match(stderr, /resuming at row/);
      assert.equal((await readFile(join(cwd, 'scored.csv'), 'utf8')).trim().split('\n').length, 181);
    },
  );
});
