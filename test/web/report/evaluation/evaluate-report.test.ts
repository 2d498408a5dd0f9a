import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TrainedReport } from '../../../../src/base/contract/schemas.ts';
import { loadReportModel } from '../../../../src/models/store/report-model.ts';
import { evaluateReport } from '../../../../src/web/report/evaluation/evaluation.ts';
import { newFolder } from '../../../support/folder.ts';
import { makeReport } from '../../../support/web/made-report.ts';

/** A quality that says that the report has very many testing rows. */
const ofManyRows = ({ quality }: TrainedReport): TrainedReport['quality'] => ({
  ...quality,
  testing_rows: 1_000_000,
});

describe('the testing results of a stored report', () => {
  it('are evaluated in a thread, if they may be many, with the same result', async t => {
    const home = await newFolder(t);
    const report = await makeReport(home, { id: 'mine', classes: ['no', 'maybe', 'yes'] });
    const { columns } = await loadReportModel(home, 'mine');
    const few = await evaluateReport(home, report, columns);
    const many = await evaluateReport(home, { ...report, quality: ofManyRows(report) }, columns);
    assert.equal(few.curves.length, 3);
    assert.deepEqual(many, few);
  });

  it('are refused if they are damaged, from a thread too', async t => {
    const home = await newFolder(t);
    const report = await makeReport(home, { id: 'mine', classes: ['no', 'yes'] });
    const { columns } = await loadReportModel(home, 'mine');
    await appendFile(join(home, 'reports/mine/testing-results.csv'), 'x');
    for (const quality of [report.quality, ofManyRows(report)])
      await assert.rejects(evaluateReport(home, { ...report, quality }, columns), { code: 'damaged_report' });
  });
});
