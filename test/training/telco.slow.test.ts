import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { testingResults } from '../../src/models/store/report-store.ts';
import { trainReport } from '../../src/training/train.ts';
import { sharedFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';

const historyFile = join(root, 'test/data/telco-customer-churn.csv');

test('on telco data, over five seeds, testing accuracy is 80% and the area under the curve 0.84; a seed gives the same bytes', async () => {
  const home = await sharedFolder();
  const results: { text: string; accuracy: number; area: number }[] = [];
  for (const seed of [1, 2, 3, 4, 5, 1]) {
    const { id } = await trainReport({ historyFile, predict: 'Churn', home, seed, ifExists: 'replace' });
    const text = (await (await testingResults(home, id)).toArray()).join('');
    const rows = parse(text, { columns: true }) as Row[];
    assert.equal(rows.length, 1409);
    const right = rows.filter(row => row.actual_Churn === row.predicted_Churn).length;
    results.push({ text, accuracy: right / rows.length, area: areaUnderCurve(rows) });
  }
  const again = results.pop();
  assert.equal(again?.text, results[0]?.text);
  const mean = (of: 'accuracy' | 'area') =>
    results.reduce((sum, result) => sum + result[of], 0) / results.length;
  assert.ok(mean('accuracy') >= 0.8, `mean accuracy ${mean('accuracy')}`);
  assert.ok(mean('area') >= 0.84, `mean area ${mean('area')}`);
});

interface Row {
  actual_Churn: string;
  predicted_Churn: string;
  probability_Yes: string;
}

/** The probability that a Yes row is ranked above a No row. */
function areaUnderCurve(rows: Row[]): number {
  const of = (actual: string) =>
    rows.filter(row => row.actual_Churn === actual).map(row => Number(row.probability_Yes));
  const [yes, no] = [of('Yes'), of('No')];
  let wins = 0;
  for (const p of yes) for (const q of no) wins += p > q ? 1 : p === q ? 0.5 : 0;
  return wins / (yes.length * no.length);
}
