import '../../../support/random-tests.ts';
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LearnedColumn } from '../../../../src/formats/columns/column-encoder.ts';
import { loadReportModel } from '../../../../src/models/store/report-model.ts';
import { testingResults } from '../../../../src/models/store/report-store.ts';
import { areaUnderCurve, meanArea } from '../../../../src/training/findings/roc.ts';
import { testingResultsCsv } from '../../../../src/training/findings/testing-results.ts';
import { ColumnSample } from '../../../../src/web/report/evaluation/column-sample.ts';
import {
  evaluateReport,
  evaluateResults,
  readTestingRows,
} from '../../../../src/web/report/evaluation/evaluation.ts';
import { newFolder } from '../../../support/folder.ts';
import { makeReport } from '../../../support/web/made-report.ts';

const columns: LearnedColumn[] = [
  { name: 'amount', type: 'numerical', notation: 'comma' },
  { name: '<script>', type: 'categorical', levels: ['a', 'b'] },
  { name: 'since', type: 'date', piece: 'day', order: 'dmy' },
  { name: 'since', type: 'date', piece: 'hour', order: 'dmy' },
];

/** The bytes in chunks of a size, as a file is read. */
async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('an evaluation', () => {
  it('of the CSV of testing results has the curves whose area the training computes', async () => {
    const classNames = fc.uniqueArray(
      fc.constantFrom('yes', 'no', '=1+1', '<b>', 'a,"b"', 'two\nlines', '\u202eabc', '10 to 20'),
      { minLength: 2, maxLength: 5 },
    );
    const arbitrary = classNames.chain(classes =>
      fc.record({
        classes: fc.constant(classes),
        rows: fc.array(
          fc.record({
            label: fc.nat(classes.length - 1),
            scores: fc.array(fc.integer({ min: 1, max: 9 }), {
              minLength: classes.length,
              maxLength: classes.length,
            }),
            fields: fc.tuple(fc.string(), fc.string(), fc.string(), fc.string()),
          }),
          { minLength: 1, maxLength: 40 },
        ),
        size: fc.integer({ min: 1, max: 3000 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ classes, rows, size }) => {
        const labels = rows.map(({ label }) => label);
        const probabilities = Float64Array.from(
          rows.flatMap(({ scores }) => {
            const sum = scores.reduce((total, score) => total + score, 0);
            return scores.map(score => score / sum);
          }),
        );
        const scored = { labels, probabilities, classes: classes.length };
        const csv = testingResultsCsv({
          header: ['amount', '<script>', 'since', 'actual_out'],
          rows: rows.map(({ fields }) => fields),
          predicts: 'out',
          classes,
          labels,
          probabilities,
        });
        const found = await evaluateResults(chunksOf(csv, size), classes, columns);
        assert.equal(meanArea(found.curves), areaUnderCurve(scored));
      }),
    );
  });

  const results = (rows: readonly (readonly string[])[]) =>
    testingResultsCsv({
      header: ['amount', '<script>', 'since'],
      rows,
      predicts: 'out',
      classes: ['no', 'yes'],
      labels: rows.map((_, i) => i % 2),
      probabilities: Float64Array.from(rows.flatMap(() => [0.5, 0.5])),
    });

  it('profiles columns as the model reads them', async () => {
    const csv = results([
      ['1.234,50 €', 'a', '15/01/2020'],
      ['12,25', '', '17/01/2020'],
      ['?', '', '16/01/2020 12:00'],
      ['7', '', 'not a date'],
    ]);
    const { columns: profiles } = await evaluateResults(chunksOf(csv, 50), ['no', 'yes'], columns);
    assert.deepEqual(profiles.get('amount'), {
      isMostlyMissing: false,
      numbers: { low: 7, median: 12.25, high: 1234.5, isWhole: false },
    });
    assert.deepEqual(profiles.get('<script>'), { isMostlyMissing: true, numbers: undefined });
    const day = Date.UTC(2020, 0, 15) / 86_400_000;
    assert.deepEqual(profiles.get('since'), {
      isMostlyMissing: false,
      numbers: { low: day, median: day + 1.5, high: day + 2, isWhole: false },
    });
  });

  it('refuses testing results of other classes', async () => {
    const csv = results([['1', 'a', '']]);
    const refused = { code: 'damaged_report' };
    await assert.rejects(evaluateResults(chunksOf(csv, 50), ['maybe', 'yes'], columns), refused);
    await assert.rejects(evaluateResults(chunksOf('a,b\n1,2\n', 50), ['no', 'yes'], columns), refused);
  });

  it('profiles wide tables from a part of the rows', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
    const rows = Array.from({ length: 1500 }, (_, row) => names.map(() => String(row)));
    const csv = testingResultsCsv({
      header: names,
      rows,
      predicts: 'out',
      classes: ['no', 'yes'],
      labels: rows.map((_, i) => i % 2),
      probabilities: Float64Array.from(rows.flatMap(() => [0.5, 0.5])),
    });
    const sample = new ColumnSample(
      names.map(name => ({ name, type: 'numerical', notation: 'point' })),
      20 * 120,
    );
    await readTestingRows(chunksOf(csv, 65_536), ['no', 'yes'], sample);
    const median = sample.profiles().get('c17')?.numbers?.median ?? 0;
    assert.ok(median > 600 && median < 900, String(median));
  });
});

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
