import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/training/seeded-random.ts';
import { homeWith, trainClasses } from '../support/service/history.ts';

test('a hundred classes are learned, including rare ones', async () => {
  const random = seededRandom(5);
  const rows = Array.from({ length: 1200 }, (_, i) => {
    const kind = i < 1170 ? i % 80 : 80 + (i % 20); // twenty classes have one row or two
    return [String(kind + random() / 2), `group ${kind % 7}`, `class ${kind}`];
  });
  const { home, historyFile } = await homeWith([['amount', 'group', 'kind'], ...rows]);
  const report = await trainClasses({ historyFile, predict: 'kind', home, id: 'many' });
  assert.equal(report.classes.length, 100);
  // Guessing would be correct for one row in eighty.
  assert.ok(Number.parseFloat(report.tech_specs.testing_accuracy) > 50, report.tech_specs.testing_accuracy);
});
