import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countTexts } from '../../../src/formats/values/column-type.ts';
import { binLabels } from '../../../src/training/rows/bin-labels.ts';
import { classOrder } from '../../../src/web/report/class-order.ts';
import '../../support/random-tests.ts';

const ordered = (classes: string[]) => classOrder(classes).map(index => classes[index]);

test('numbers, and ranges of numbers, are shown in their order', () => {
  assert.deepEqual(ordered(['1', '10', '2', '-3']), ['-3', '1', '2', '10']);
  assert.deepEqual(ordered(['100 and above', '20 to 100', 'below 20']), [
    'below 20',
    '20 to 100',
    '100 and above',
  ]);
});

test('the ranges of a training are shown from the lowest to the highest', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 5 }), numbers => {
      const { nameOf } = binLabels(countTexts(numbers.map(String)), 4, 'amount');
      const expected = [
        ...new Set(numbers.toSorted((a, b) => a - b).flatMap(value => nameOf(String(value)) ?? [])),
      ];
      assert.deepEqual(ordered(expected.toSorted()), expected);
    }),
  );
});

test('numbers after the same text are shown in their order', () => {
  const types = Array.from({ length: 12 }, (_, i) => `fault type ${i}`);
  assert.deepEqual(ordered(types.toSorted()), types);
  assert.deepEqual(ordered(['Q1', 'Q10', 'Q2']), ['Q1', 'Q2', 'Q10']);
});

test('other classes are shown as in the report', () => {
  for (const classes of [
    ['b', 'a'],
    ['2', '10', 'more'],
    ['below', 'above'],
    ['10 to', '2'],
    ['type 2', 'tape 1'],
    ['type', 'type 2', 'type 1'],
  ])
    assert.deepEqual(ordered(classes), classes);
});
