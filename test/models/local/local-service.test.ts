import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RowcastError } from '../../../src/base/errors.ts';
import { openLocalService } from '../../../src/models/local/local-service.ts';
import { newFolder } from '../../support/folder.ts';

describe('the local reports', () => {
  const reportOf = async (home: string): Promise<unknown> => (await openLocalService(home)).report('r');

  it('are refused if their folder cannot be read', async t => {
    const home = join(await newFolder(t), 'home');
    const reports = join(home, 'reports');
    const refused = { code: 'unreadable_home', severity: 'refused', location: { file: reports } } as const;
    await writeFile(home, 'a file in the place of the folder');
    await assert.rejects(reportOf(home), refused);
    await rm(home);
    await mkdir(home);
    // Not even root can read this path.
    await symlink('reports', reports);
    await assert.rejects(reportOf(home), refused);
  });

  it('are named if one does not exist', async t => {
    const home = await newFolder(t);
    await assert.rejects(reportOf(home), {
      code: 'no_such_report',
      message: /there is no report "r"/,
    });
    const hinting = (hint: RegExp) => (error: RowcastError) =>
      error.location.file === join(home, 'reports') && hint.test(error.hint ?? '');
    await assert.rejects(
      reportOf(home),
      hinting(
        /^Use --url for .*\. Train one first: rowcast train HISTORY\.csv --predict COLUMN --report r --home \S+$/,
      ),
    );
    await mkdir(join(home, 'reports', 'churn'), { recursive: true });
    await assert.rejects(reportOf(home), hinting(/^Use --url for .*\. Existing reports: churn\.$/));
  });
});
