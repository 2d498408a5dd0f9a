import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesProgress } from '../../../src/cli/score/files-watch.ts';
import { sizesOf } from '../../../src/library/several/plan-files.ts';
import { RunsTotal } from '../../../src/runs/observers/total.ts';
import { RunTracker } from '../../../src/runs/run-tracker.ts';
import { newRowCounts } from '../../../src/scoring/row-counts.ts';
import { exits, waitForStderr } from '../../support/rowcast.ts';
import { csv, filesWith } from '../../support/scoring/files.ts';

const names = {
  version: null,
  input: 'in.csv',
  output: 'out.csv',
  rejects: null,
  hasNamedRejects: false,
  report: 'r',
  options: {},
};

/** Begins the run of a file, which has read some rows, of which an earlier process read some. */
async function begin(
  total: RunsTotal,
  index: number,
  read = 0,
  fraction = 0,
  before = { read: 0, fraction: 0 },
): Promise<RunTracker> {
  const observers = [total.of(index)];
  const tracker = new RunTracker({ names, observers });
  await tracker.begin({ summary: undefined }, false);
  tracker.rowCounts = { ...newRowCounts(), read, rejected: read === 0 ? 0 : 1 };
  const { rowCounts } = tracker;
  const unknown = { predictionType: undefined, figures: () => undefined, resumePoint: () => undefined };
  for (const observer of observers) observer.progress?.({ rowCounts, fraction, before, ...unknown });
  return tracker;
}

const textOf = (total: RunsTotal, seconds: number): string => {
  const { name = '', cells } = filesProgress(total, 'local', seconds);
  return [name, ...cells].filter(cell => cell !== '').join('  ');
};

describe('the progress of several files', () => {
  it('is that of their bytes; rows are those of all, rate and time those of this process', async () => {
    const total = new RunsTotal([600, 200, 200, 1000]);
    assert.equal(textOf(total, 1), '0/4 files  0%  0 rows  0 rows/s');
    const first = await begin(total, 0, 600, 1);
    const skipped = await begin(total, 1);
    const resumed = await begin(total, 2, 150, 0.75, { read: 100, fraction: 0.5 });
    await first.end('finished', 0);
    total.end(0);
    await skipped.end('skipped', 0);
    total.end(1);
    // Of 2,000 bytes, 950 are done, 300 of them not by this process.
    assert.equal(textOf(total, 10), '2/4 files  47%  750 rows  65 rows/s  about 17 s left  2 rejects');
    await resumed.fail(new Error('it is damaged'));
    total.end(2);
    assert.match(textOf(total, 10), /^3\/4 files {2}50% .* 1 failed$/);
    assert.deepEqual(filesProgress(total, 'local', 10).fields.files, { total: 4, ended: 3, failed: 1 });
    assert.equal(total.rowCounts.read, 750);
  });

  it('has no percentage without sizes', async () => {
    assert.deepEqual(await sizesOf(['/no/such/file']), [0]);
    assert.equal(textOf(new RunsTotal([0]), 1), '0/1 file  0 rows  0 rows/s');
  });

  it('has a line for each file that is being scored, and one for all', async t => {
    let release = (): void => {};
    const drawn = new Promise<void>(resolve => {
      release = resolve;
    });
    const files = { 'in/a.csv': csv(3), 'in/b.csv': csv(3), 'in/c.csv': csv(3) };
    const { start } = await filesWith(t, files, {
      behave: async () => {
        await drawn;
        return false;
      },
    });
    const { child, finished } = start('score in/*.csv -o out/{name}.csv --report r --progress always');
    // Only lines that have changed are drawn again, so the three need not be in one frame.
    await waitForStderr(child, /(?=.*in\/a\.csv)(?=.*in\/b\.csv)(?=.*0\/3 files)/s);
    release();
    await exits(finished, 0);
  });
});
