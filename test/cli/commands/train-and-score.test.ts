import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rowcast } from '../../support/in-process.ts';
import { nightly } from './nightly.ts';

describe('a definition that trains and scores', () => {
  it('is repeatable: it trains once for a history and its options', async t => {
    const { run, version } = await nightly(t);
    assert.equal((await run()).code, 0);
    const first = await version();
    const second = await run();
    assert.deepEqual([second.code, await version()], [0, first], second.stderr);
    assert.match(second.stderr, /report churn was trained from this history with these options/);
  });

  it('resumes a run that was stopped, with the same report', async t => {
    const { cwd, run, version } = await nightly(t);
    await appendFile(join(cwd, 'customers.csv'), 'malformed\n');
    assert.equal((await run('--max-rejects', '0')).code, 3);
    const before = await version();
    const { code, stderr } = await run();
    assert.deepEqual([code, await version()], [1, before], stderr);
    assert.match(stderr, /resuming at row/);
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
});
