import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { rowcast } from '../../support/in-process.ts';
import { exits, startRowcast, waitForStderr } from '../../support/rowcast.ts';
import { csv } from '../../support/service/history.ts';
import { nightly, table } from './nightly.ts';

describe('a definition that trains and scores', () => {
  it('trains once for a history and its options, and again when one of them has changed', async t => {
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

  it('trains a damaged report again', async t => {
    const { cwd, run } = await nightly(t);
    await run();
    await writeFile(join(cwd, 'home/reports/churn/model.zip'), '');
    await exits(run(), 0, /report churn is trained again: it is damaged\n/);
    await writeFile(join(cwd, 'home/reports/churn/report.json'), '');
    await exits(run(), 2, /\[damaged_report\]\n.*--set train\.if-exists=replace/);
    assert.equal((await run('--set', 'train.if-exists=replace')).code, 0);
  });

  it('starts over, and keeps what was scored until the end, when the report has changed in between', async t => {
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
  });

  it('still refuses an unfinished run of another input', async t => {
    const { cwd, run } = await nightly(t);
    await appendFile(join(cwd, 'customers.csv'), 'malformed\n');
    await run('--max-rejects', '0');
    await writeFile(join(cwd, 'customers.csv'), csv(table.slice(0, 10)));
    await exits(run(), 2, /the input has changed since .*\[other_work\]/);
  });

  it('does not replace a report that was trained by hand, unless it is the same or that is asked for', async t => {
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
  });

  it('is refused next to another one that trains the same report in another way', async t => {
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

  it('can be killed while it trains and while it scores, and then resumes with the same report', async t => {
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
  });
});
