import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadReportModel } from '../../../../src/models/store/report-model.ts';
import { testingResults } from '../../../../src/models/store/report-store.ts';
import { evaluateReport, evaluateResults } from '../../../../src/web/report/evaluation/evaluation.ts';
import { newFolder } from '../../../support/folder.ts';
import { makeReport } from '../../../support/web/made-report.ts';

describe('the testing results of a stored report', () => {
  it('are evaluated in a thread, with the same result', async t => {
    const home = await newFolder(t);
    const classes = ['no', 'maybe', 'yes'];
    await makeReport(home, { id: 'mine', classes });
    const { columns } = await loadReportModel(home, 'mine');
    const found = await evaluateReport({ home, id: 'mine', classes, columns });
    assert.equal(found.curves.length, 3);
    assert.deepEqual(found, await evaluateResults(await testingResults(home, 'mine'), classes, columns));
  });

  it('are refused if they are damaged', async t => {
    const home = await newFolder(t);
    const classes = ['no', 'yes'];
    await makeReport(home, { id: 'mine', classes });
    const { columns } = await loadReportModel(home, 'mine');
    await appendFile(join(home, 'reports/mine/testing-results.csv'), 'x');
    await assert.rejects(evaluateReport({ home, id: 'mine', classes, columns }), { code: 'damaged_report' });
  });
});
