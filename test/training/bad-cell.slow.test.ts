import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/training/seeded-random.ts';
import { homeWith, trainClasses } from '../support/service/history.ts';

test('one bad cell in 3,000 amounts changes the accuracy by less than a point and is reported', async () => {
  const random = seededRandom(3);
  const rows = Array.from({ length: 3000 }, () => {
    const amount = 1000 * random();
    return [
      amount.toFixed(2),
      String(Math.floor(5 * random())),
      amount + 250 * (random() - 0.5) > 500 ? 'yes' : 'no',
    ];
  });
  const accuracyOf = async (cell: string) => {
    const changed = rows.map((row, i) => (i === 1234 ? [cell, ...row.slice(1)] : row));
    const { home, historyFile } = await homeWith([['amount', 'noise', 'bought'], ...changed]);
    const report = await trainClasses({ historyFile, predict: 'bought', home, id: 'r' });
    return { accuracy: Number.parseFloat(report.tech_specs.testing_accuracy), notes: report.notes };
  };
  const clean = await accuracyOf('12.50');
  const dirty = await accuracyOf('unknown');
  assert.ok(Math.abs(clean.accuracy - dirty.accuracy) < 1, `${clean.accuracy} and ${dirty.accuracy}`);
  assert.ok(dirty.accuracy > 80, String(dirty.accuracy));
  assert.ok(
    dirty.notes.includes(
      '"amount": 1 of 3,000 values are not numbers and are treated as missing: "unknown" (1).',
    ),
    dirty.notes.join(' '),
  );
});
