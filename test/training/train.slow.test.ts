import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { history, homeWith, trainClasses } from '../support/service/history.ts';

test('values in the testing rows affect only the metrics', async () => {
  const table = history({ rows: 600 });
  const made = async (rows: string[][]) => {
    const { home, historyFile } = await homeWith(rows);
    const { columns, drivers, tech_specs, notes } = await trainClasses({
      historyFile,
      predict: 'outcome',
      home,
      id: 'r',
    });
    const results = await readFile(join(home, 'reports', 'r', 'testing-results.csv'), 'utf8');
    const { testing_accuracy, ...specs } = tech_specs;
    // Problems with values are reported for all of the training data.
    const isOfValues = (note: string) => note.includes('are treated as missing');
    return {
      learned: { columns, specs, notes: notes.filter(note => !isOfValues(note)) },
      drivers: drivers.map(({ column }) => column).sort(),
      valueNotes: notes.filter(isOfValues),
      results: (parse(results) as string[][]).slice(1),
    };
  };
  const { learned, drivers, valueNotes, results } = await made(table);
  assert.deepEqual(valueNotes, []);
  const testing = new Set(results.map(([customer]) => customer));
  assert.equal(testing.size, 120);
  const changed = table.map(row => {
    const [customer = '', , , , outcome = ''] = row;
    return testing.has(customer) ? [customer, 'no amount', 'a new plan', '2024-01-02', outcome] : row;
  });
  const other = await made(changed);
  assert.deepEqual(other.learned, learned);
  assert.deepEqual(other.drivers, drivers);
  assert.deepEqual(other.valueNotes, [
    '"monthly amount": 120 of 554 values are not numbers and are treated as missing: other text (120).',
    '"__proto__": 120 of 548 values are not numbers and are treated as missing: other text (120).',
  ]);
  assert.deepEqual(
    other.results.map(([customer]) => customer),
    results.map(([customer]) => customer),
  );
  assert.notDeepEqual(other.results, results);
});

test('the same data and seed give the same bytes, another seed different ones', async () => {
  const { home, historyFile } = await homeWith(history({ rows: 300 }));
  const bytes = async (seed: number) => {
    await trainClasses({ historyFile, predict: 'outcome', home, id: 'r', seed, ifExists: 'replace' });
    const folder = join(home, 'reports', 'r');
    return [
      await readFile(join(folder, 'model.zip'), 'hex'),
      await readFile(join(folder, 'report.json'), 'utf8'),
      await readFile(join(folder, 'testing-results.csv'), 'utf8'),
    ];
  };
  const first = await bytes(11);
  assert.deepEqual(await bytes(11), first);
  assert.notDeepEqual(await bytes(12), first);
});
