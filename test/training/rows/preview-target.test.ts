import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RowcastError } from '../../../src/base/errors.ts';
import { countTexts } from '../../../src/formats/values/column-type.ts';
import { labelRows, previewTarget } from '../../../src/training/rows/labels.ts';
import { labelsOf, splitRows } from '../../../src/training/rows/split-rows.ts';
import '../../support/random-tests.ts';

/** What training does with these labels: the rows of each class, or the code of its refusal. */
function trained(labels: readonly string[], bins?: number): Record<string, number> | string {
  return orCode(() => {
    const table = labelRows(
      labels.map(label => [label]),
      0,
      { predict: 'x', bins },
    );
    const { labels: classOf, classes } = labelsOf(table.labels, 'x');
    splitRows(classOf, classes.length, 7);
    return Object.fromEntries(countTexts(table.labels));
  });
}

const previewed = (labels: readonly string[], bins?: number): Record<string, number> | string =>
  orCode(() =>
    Object.fromEntries(
      previewTarget(countTexts(labels), 'x', bins).classes.map(({ name, rows }) => [name, rows]),
    ),
  );

function orCode<T>(act: () => T): T | string {
  try {
    return act();
  } catch (error) {
    if (error instanceof RowcastError) return error.code;
    throw error;
  }
}

describe('the preview of a column to predict', () => {
  const label = fc.oneof(
    fc.constantFrom('yes', 'no', ' yes', 'Yes', '1', '1.0', '2', 'n/a'),
    fc.integer({ min: 0, max: 30 }).map(String),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
  );
  const labels = fc
    .uniqueArray(label, { minLength: 1, maxLength: 30 })
    .chain(texts => fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 120 }));

  it('has the classes and the refusals of training', () => {
    fc.assert(
      fc.property(labels, fc.option(fc.integer({ min: 2, max: 5 }), { nil: undefined }), (texts, bins) => {
        assert.deepEqual(previewed(texts, bins), trained(texts, bins));
      }),
    );
  });

  it('lists the most frequent class first', () => {
    const texts = [...Array(40).fill('a'), ...Array(60).fill('b'), ...Array(5).fill('c')];
    assert.deepEqual(previewTarget(countTexts(texts), 'x').classes, [
      { name: 'b', rows: 60 },
      { name: 'a', rows: 40 },
      { name: 'c', rows: 5 },
    ]);
  });
});
