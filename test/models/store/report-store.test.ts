import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { loadReportModel } from '../../../src/models/store/report-model.ts';
import { listReports, readReport, testingResults } from '../../../src/models/store/report-store.ts';
import { makeFifo } from '../../support/fifo.ts';
import { sharedFolder } from '../../support/folder.ts';
import { copyHome } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';

async function replaceByFifo(path: string): Promise<void> {
  await rm(path);
  await makeFifo(path);
}

let home = '';
describe('the reports of a data directory', () => {
  before(async () => {
    home = await sharedFolder();
    await copyHome(await trainedHome(), home);
    await rename(join(home, 'reports', 'two'), join(home, 'reports', '.sound'));
  });

  /** A report of the name "two" that is still sound. @returns its folder */
  async function newReport(): Promise<string> {
    const folder = join(home, 'reports', 'two');
    await rm(folder, { recursive: true, force: true });
    await cp(join(home, 'reports', '.sound'), folder, { recursive: true, dereference: true });
    return folder;
  }

  const damages: [what: string, harm: (folder: string) => Promise<void>][] = [
    ['a changed report.json', folder => appendFile(join(folder, 'report.json'), ' ')],
    ['a missing report.json', folder => rm(join(folder, 'report.json'))],
    ['no checksums', folder => rm(join(folder, 'SHA256SUMS'))],
    ['empty checksums', folder => writeFile(join(folder, 'SHA256SUMS'), '')],
    ['a FIFO as report.json', folder => replaceByFifo(join(folder, 'report.json'))],
    ['a FIFO as checksums', folder => replaceByFifo(join(folder, 'SHA256SUMS'))],
    ['the name of another report', folder => rename(folder, join(folder, '..', 'bad'))],
  ];
  for (const [what, harm] of damages) {
    test(`a report with ${what} is damaged and listed as damaged`, async () => {
      await harm(await newReport());
      const id = what === 'the name of another report' ? 'bad' : 'two';
      await assert.rejects(readReport(home, id), { code: 'damaged_report' });
      const listed = await listReports(home);
      assert.equal(listed.find(report => report.id === id)?.damage?.code, 'damaged_report');
      assert.equal(listed.find(report => report.id === 'one')?.report?.id, 'one');
      await rm(join(home, 'reports', id), { recursive: true });
    });
  }

  test('a report whose testing results or model changed is listed as damaged and never served', async () => {
    const folder = await newReport();
    const damage = async () =>
      (await listReports(home)).find(({ id }) => id === 'two')?.damage?.message.split(': ')[1];
    assert.equal(await damage(), undefined);
    await truncate(join(folder, 'testing-results.csv'), 100);
    assert.equal(await damage(), 'testing-results.csv has changed');
    await appendFile(join(folder, 'model.zip'), 'x');
    assert.equal(await damage(), 'model.zip has changed');
    await assert.rejects(testingResults(home, 'two'), { code: 'damaged_report' });
    await assert.rejects(loadReportModel(home, 'two'), { code: 'damaged_report' });
  });

  test('the error for a missing report names the searched folder and the reports in it', async () => {
    await assert.rejects(readReport(home, 'none'), {
      code: 'no_such_report',
      message: 'there is no report "none"',
      location: { file: join(home, 'reports') },
      hint: /one/,
    });
    await assert.rejects(readReport(join(home, 'nowhere'), 'none'), {
      code: 'no_such_report',
      hint: /rowcast train/,
    });
  });

  test('a missing report whose id is similar to existing ones suggests them', async () => {
    await assert.rejects(readReport(home, 'ones'), {
      hint: /^Did you mean "one"\? Existing reports: .*one/,
    });
  });

  test('an id that could be a path is refused before any path is built', async () => {
    for (const id of ['../one', 'a/b', '.', '', 'a\0', 'x'.repeat(65)]) {
      await assert.rejects(readReport(home, id), { code: 'bad_report_id' });
    }
  });

  test('leftovers of a killed training are not listed', async () => {
    await mkdir(join(home, 'reports', '.new-half-written'));
    const ids = (await listReports(home)).map(({ id }) => id);
    assert.ok(ids.includes('one') && !ids.some(id => id.startsWith('.')));
  });

  test('a missing data directory has no reports; a file in its place is an error', async () => {
    assert.deepEqual(await listReports(join(home, 'nowhere')), []);
    await assert.rejects(listReports(join(home, 'history.csv')), {
      code: 'unreadable_home',
      severity: 'refused',
    });
  });
});
