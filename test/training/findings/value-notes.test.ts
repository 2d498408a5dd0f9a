import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnNotes } from '../../../src/training/findings/value-notes.ts';
import { learnColumns } from '../../../src/training/rows/learn-columns.ts';

/** The notes on a column of these values and 1,000 amounts. */
function notesOn(values: readonly string[], amount = (i: number) => `${20 + ((i * 37) % 997)}.5`): string[] {
  const rows = [...values, ...Array.from({ length: 1000 }, (_, i) => amount(i))].map(value => [value, '']);
  return columnNotes(learnColumns(['price', 'y'], rows, 1), rows);
}

test('values that are not numbers are counted by kind, and only known spellings are quoted', () => {
  assert.deepEqual(notesOn(['N.A.', 'N.A.', 'unknown', 'call Ms Smith', 'see her file', '', ' ']), [
    '"price": 5 of 1,005 values are not numbers and are treated as missing: "N.A." (2), other text (2), "unknown" (1).',
  ]);
});

test('values that are not dates are counted by kind', () => {
  assert.deepEqual(
    notesOn(['soon', '0000-00-00'], i => `2024-01-${10 + (i % 19)}`),
    [
      '"price": 2 of 1,002 values are not dates and are treated as missing: other text (1), "0000-00-00" (1).',
    ],
  );
});

test('numbers with signs and separators are counted by kind', () => {
  assert.deepEqual(notesOn(['$12.50', '1,200', '1,300.50']), [
    '"price": numbers are read without their currency $ (1), thousands separators (2); check that all of them have the same unit.',
  ]);
  assert.deepEqual(
    notesOn([], i => `${i % 90}%`),
    ['"price": numbers are read without their percent sign (1,000).'],
  );
});

test('decimal commas are noted as such, apart from thousands separators', () => {
  assert.deepEqual(
    notesOn(['1.234,5 €', '1.300,25', '7'], i => `0,${100 + (i % 800)}`),
    [
      '"price": 1,002 values have a comma, which is read as a decimal comma.',
      '"price": numbers are read without their currency € (1), thousands separators (1); check that all of them have the same unit.',
    ],
  );
});

test('a placeholder is reported as suspicious, and stays a number', () => {
  assert.deepEqual(notesOn(['-999', '-999.0']), [
    '"price": 2 of 1,002 values are -999, which is suspiciously far from all others. If it means missing, leave these cells empty.',
  ]);
});

test('a clean column has no note', () => {
  assert.deepEqual(notesOn(['', '12', ' 7 ']), []);
});
