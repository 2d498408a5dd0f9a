import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { testingResults } from '../../src/models/store/report-store.ts';
import { trainReport } from '../../src/training/train.ts';
import { sharedFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';

const historyFile = join(root, 'test/data/telco-customer-churn.csv');

test('on telco data, over five seeds, testing accuracy is 80% and the area under the curve 0.84', async () => {
  const home = await sharedFolder();
  const results: { accuracy: number; area: number }[] = [];
  for (const seed of [1, 2, 3, 4, 5]) {
    const { id } = await trainReport({ historyFile, predict: 'Churn', home, seed, ifExists: 'replace' });
    const text = (await (await testingResults(home, id)).toArray()).join('');
    const rows = parse(text, { columns: true }) as Row[];
    assert.equal(rows.length, 1409);
    results.push({
      accuracy: rows.filter(row => row.actual_Churn === row.predicted_Churn).length / rows.length,
      area: areaUnderCurve(rows),
    });
  }
  const mean = (of: 'accuracy' | 'area') =>
    results.reduce((sum, result) => sum + result[of], 0) / results.length;
  assert.ok(mean('accuracy') >= 0.8, `mean accuracy ${mean('accuracy')}`);
  assert.ok(mean('area') >= 0.84, `mean area ${mean('area')}`);
});

test('on telco data, the same seed gives the same testing results, byte for byte', async () => {
  const home = await sharedFolder();
  const results = async () => {
    const { id } = await trainReport({ historyFile, predict: 'Churn', home, seed: 1, ifExists: 'replace' });
    return (await (await testingResults(home, id)).toArray()).join('');
  };
  const first = await results();
  assert.equal(first.split('\n').length, 1411);
  assert.equal(await results(), first);
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
