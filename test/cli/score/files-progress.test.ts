import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FilesProgress, sizesOf } from '../../../src/cli/score/files-progress.ts';
import { RunRecord } from '../../../src/runs/run-record.ts';
import { newRowCounts } from '../../../src/scoring/row-counts.ts';
import { spawnRowcast, waitForStderr } from '../../support/rowcast.ts';
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

/** A record of a run that has read some rows, of which an earlier process read some. */
function recordOf(read: number, fraction: number, before = { read: 0, fraction: 0 }): RunRecord {
  const record = new RunRecord({ names });
  record.accounts = { ...newRowCounts(), read, rejected: 1 };
  record.progress = { fraction, before };
  return record;
}

const textOf = (progress: FilesProgress, seconds: number): string => {
  const { name = '', cells } = progress.report(seconds);
  return [name, ...cells].filter(cell => cell !== '').join('  ');
};

describe('the progress of several files', () => {
  it('is that of their bytes; rows are those of all, rate and time those of this process', () => {
    const progress = new FilesProgress('local', [600, 200, 200, 1000]);
    assert.equal(textOf(progress, 1), '0/4 files  0%  0 rows  0 rows/s');
    const [first, skipped, resumed] = [
      recordOf(600, 1),
      new RunRecord({ names }),
      recordOf(150, 0.75, { read: 100, fraction: 0.5 }),
    ];
    for (const [index, record] of [first, skipped, resumed].entries()) progress.begin(index, record);
    progress.end(0, first, 'finished');
    progress.end(1, skipped, 'skipped');
    // Of 2,000 bytes, 950 are done, 300 of them not by this process.
    assert.equal(textOf(progress, 10), '2/4 files  47%  750 rows  65 rows/s  about 17 s left  2 rejects');
    progress.end(2, resumed, 'stopped');
    assert.match(textOf(progress, 10), /^3\/4 files {2}50% .* 1 failed$/);
    assert.deepEqual(progress.report(10).fields.files, { total: 4, ended: 3, failed: 1 });
    assert.equal(progress.accounts.read, 750);
  });

  it('has no percentage without sizes', async () => {
    assert.deepEqual(await sizesOf(['/no/such/file']), [0]);
    assert.equal(textOf(new FilesProgress('local', [0]), 1), '0/1 file  0 rows  0 rows/s');
  });

  it('has a line for each file that is being scored, and one for all', async t => {
    let release = (): void => {};
    const drawn = new Promise<void>(resolve => {
      release = resolve;
    });
    const files = { 'in/a.csv': csv(3), 'in/b.csv': csv(3), 'in/c.csv': csv(3) };
    const { cwd, stub } = await filesWith(t, files, {
      behave: async () => {
        await drawn;
        return false;
      },
    });
    const env = { ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key };
    const args = ['score', 'in/*.csv', '-o', 'out/{name}.csv', '--report', 'r', '--progress', 'always'];
    const child = spawnRowcast(args, { cwd, env });
    // Only lines that have changed are drawn again, so the three need not be in one frame.
    await waitForStderr(child, /(?=.*in\/a\.csv)(?=.*in\/b\.csv)(?=.*0\/3 files)/s);
    release();
    const [code] = await new Promise<unknown[]>(end => child.on('close', (...ended) => end(ended)));
    assert.equal(code, 0);
  });
});
