import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StratifiedSample } from '../../../src/training/rows/stratified-sample.ts';

/** The numbers of the rows sampled from `rows` rows, whose stratum depends on their number. */
function sampled(rows: number, most: number, nameOf: (row: number) => string, seed = 1): number[] {
  const sample = new StratifiedSample<number>(most, seed);
  for (let row = 0; row < rows; row++) sample.add(nameOf(row), () => row);
  return sample.parts([0]).flat();
}

const count = (rows: number[], isOne: (row: number) => boolean) => rows.filter(isOne).length;

test('up to the limit all rows are sampled, in order', () => {
  assert.deepEqual(
    sampled(500, 500, row => String(row % 3)),
    Array.from({ length: 500 }, (_, row) => row),
  );
});

test('a sample is divided where parts of the rows begin, of which some may be empty', () => {
  const sample = new StratifiedSample<number>(100, 1);
  for (let row = 0; row < 1000; row++) sample.add('', () => row);
  const starts = [0, 0, 1, 500, 1000];
  const parts = sample.parts(starts);
  assert.deepEqual(parts.flat(), sample.parts([0]).flat());
  assert.deepEqual([parts[0], parts[4]], [[], []]);
  parts.forEach((part, index) => {
    const end = starts[index + 1] ?? 1000;
    assert.ok(part.every(row => row >= (starts[index] ?? 0) && row < end));
  });
});

test('beyond the limit each stratum has its exact share, in row order', () => {
  const rows = sampled(200_000, 2000, row => (row % 10 === 0 ? 'rare' : 'frequent'));
  assert.equal(rows.length, 2000);
  assert.equal(
    count(rows, row => row % 10 === 0),
    200,
  );
  assert.deepEqual(
    rows,
    rows.toSorted((a, b) => a - b),
  );
});

test('in a file sorted by class each class still has its share', () => {
  for (const last of ['first', 'second']) {
    const rows = sampled(200_000, 5000, row => (row < 150_000 === (last === 'second') ? 'a' : 'b'));
    assert.equal(rows.length, 5000);
    assert.equal(
      count(rows, row => row < 150_000),
      3750,
    );
  }
});

test('every row is equally likely: the sample is spread over the file', () => {
  const rows = sampled(300_000, 3000, () => 'only');
  for (let tenth = 0; tenth < 10; tenth++) {
    const inTenth = count(rows, row => Math.floor(row / 30_000) === tenth);
    // Five standard deviations of a binomial share.
    assert.ok(Math.abs(inTenth - 300) < 5 * Math.sqrt(270), `${inTenth} in tenth ${tenth}`);
  }
});

test('a stratum of one row is in the sample', () => {
  assert.ok(sampled(100_000, 100, row => (row === 77 ? 'one' : 'others')).includes(77));
});

test('the same seed gives the same sample, another one a different sample', () => {
  const name = (row: number) => String(row % 2);
  assert.deepEqual(sampled(50_000, 1000, name, 4), sampled(50_000, 1000, name, 4));
  assert.notDeepEqual(sampled(50_000, 1000, name, 4), sampled(50_000, 1000, name, 5));
});

test('memory use does not grow with the rows', () => {
  const sample = new StratifiedSample<number>(1000, 1);
  let made = 0;
  for (let row = 0; row < 1_000_000; row++)
    sample.add(String(row % 2), () => {
      made++;
      return row;
    });
  // At most 5,000 are held; as the strata grow, fewer and fewer rows are even created.
  assert.ok(made < 50_000, `${made} rows were created`);
  assert.equal(sample.parts([0]).flat().length, 1000);
});
