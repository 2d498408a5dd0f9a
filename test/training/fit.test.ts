import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looseReport } from '../../src/base/contract/schemas.ts';
import { columnEncoderOf } from '../../src/formats/columns/column-encoder.ts';
import { predictColumns } from '../../src/models/model/engine.ts';
import { loadModel } from '../../src/models/model/model-file.ts';
import { fit } from '../../src/training/fit.ts';
import { seededRandom } from '../../src/training/seeded-random.ts';
import { slow } from '../support/slow.ts';

const header = ['surname', 'amount', 'outcome'];

/** Surnames of a few rows each, which carry no information; the amount decides except in a fifth of the rows. */
function rowsOf(count: number, hasSurnames: boolean): string[][] {
  const random = seededRandom(12);
  return Array.from({ length: count }, () => {
    const amount = random();
    const isYes = random() < 0.2 ? random() < 0.5 : amount > 0.5;
    const surname = `s${Math.floor(random() * 400)}`;
    return [hasSurnames ? surname : 'x', amount.toFixed(4), isYes ? 'yes' : 'no'];
  });
}

const fitted = (rows: string[][]) =>
  fit(
    { header, column: 2, rows, labels: rows.map(row => row[2] ?? ''), notes: [] },
    { id: 'r', predict: 'outcome', seed: 1 },
  );

slow('rare surnames do not reduce accuracy, and a note says how they are encoded', async () => {
  const { report } = await fitted(rowsOf(1500, true));
  const { report: without } = await fitted(rowsOf(1500, false));
  const points = (each: typeof report) =>
    'testing_accuracy' in each.tech_specs ? Number.parseFloat(each.tech_specs.testing_accuracy) : Number.NaN;
  assert.ok(points(report) >= points(without) - 1, `${points(report)} and ${points(without)}`);
  assert.ok(report.notes.some(note => note.includes('"surname"')));
});

test('the served model is trained on all rows; the metrics are those of the held-out split', async () => {
  const rows = rowsOf(400, false);
  const { report } = await fitted(rows);
  assert.deepEqual(report.learned_from, { evaluated_model: 320, served_model: 400 });
  assert.ok(report.notes.some(note => note.includes('trained on all 400 rows')));
});

test('a saved model predicts the same as before, also for unseen values', async () => {
  const rows = rowsOf(400, true);
  const [first, second] = await Promise.all([fitted(rows), fitted(rows)]);
  assert.deepEqual(first.model, second.model);
  const { engine, columns, prediction } = await loadModel(first.model);
  assert.deepEqual(prediction, { kind: 'distribution', classes: ['no', 'yes'] });
  const encode = (values: Record<string, string>) =>
    columns.map(column => [columnEncoderOf(column)(values[column.name] ?? '')]);
  const [, high = 0] = predictColumns(engine, encode({ surname: 'never seen', amount: '0.9' }));
  const [, low = 1] = predictColumns(engine, encode({ surname: '', amount: '0.1' }));
  assert.ok(high > 0.7 && low < 0.3, `${high} and ${low}`);
});

const wide = (columns: number, value: (row: number) => string) =>
  fit(
    {
      header: ['amount', 'outcome', ...Array.from({ length: columns }, (_, i) => `c${i}`)],
      column: 1,
      rows: rowsOf(60, false).map((row, i) => [row[1] ?? '', row[2] ?? '', ...Array(columns).fill(value(i))]),
      labels: rowsOf(60, false).map(row => row[2] ?? ''),
      notes: [],
    },
    { id: 'r', predict: 'outcome', seed: 1 },
  );

slow('more columns than a report may have are refused before anything is learned', async () => {
  await assert.rejects(
    wide(20_000, row => String(row % 7)),
    {
      code: 'too_many_columns',
      message: '20,001 columns can be used; a report has at most 20,000',
      hint: /--features.*--exclude-features/,
    },
  );
});

slow('as many columns as there may be are left out, and clients accept the report', async () => {
  const { report } = await wide(20_100, () => 'x');
  assert.ok(report.notes.includes('There are 15,100 more such notes.'));
  assert.ok(looseReport.safeParse(report).success);
});
