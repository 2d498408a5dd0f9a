import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestNames } from '../../src/base/suggest-names.ts';

const names = ['customerID', 'Monthly Charges', 'Total Charges', 'tenure', 'Churn', 'x'];

for (const { wanted, found } of [
  { wanted: 'churn', found: ['Churn'] },
  { wanted: 'Chrun', found: ['Churn'] },
  { wanted: 'Churned', found: ['Churn'] },
  { wanted: 'monthly_charges', found: ['Monthly Charges'] },
  { wanted: 'charges', found: ['Monthly Charges', 'Total Charges'] },
  { wanted: 'MonthlyCharge', found: ['Monthly Charges'] },
  { wanted: 'customer', found: ['customerID'] },
  { wanted: 'total', found: [] },
  { wanted: 'zip', found: [] },
  { wanted: '', found: [] },
])
  test(`"${wanted}" is similar to ${found.length === 0 ? 'no column' : found.join(' and ')}`, () => {
    assert.deepEqual(suggestNames(wanted, names), found);
  });

test('up to three equally similar names are suggested', () => {
  assert.deepEqual(suggestNames('Year', ['year 1', 'year 2']), ['year 1', 'year 2']);
  assert.equal(suggestNames('Year', ['year 1', 'year 2', 'year 3', 'year 4']).length, 3);
  assert.deepEqual(suggestNames('Year', ['year 1', 'year']), ['year']);
});
