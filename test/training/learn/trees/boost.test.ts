import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binsOf, type Feature, learnBinning } from '../../../../src/training/learn/features/bins.ts';
import type { Design } from '../../../../src/training/learn/features/design.ts';
import { lossOfClasses } from '../../../../src/training/learn/loss.ts';
import { predictRows, treesSpecOf } from '../../../../src/training/learn/to-predictor-spec.ts';
import { boost } from '../../../../src/training/learn/trees/boost.ts';
import { seededRandom } from '../../../../src/training/seeded-random.ts';

const settings = { leaves: 8, leafRows: 5, l2: 0, rate: 0.3, featureShare: 1 };

function designOf(features: Feature[]): Design {
  const binnings = features.map(feature => learnBinning(feature, features.length));
  const bins = features.map((feature, i) => binsOf(feature, binnings[i] as (typeof binnings)[number]));
  return { features, binnings, bins, columns: [], indexes: [] };
}

function learned(features: Feature[], labels: Uint8Array, classes: number) {
  const design = designOf(features);
  const rows = Int32Array.from(labels, (_, row) => row);
  const loss = lossOfClasses(classes);
  const grown = boost(
    { table: design, labels, loss, rows },
    { settings, random: seededRandom(1), maxRounds: 20 },
  );
  const spec = treesSpecOf(grown, design);
  return { spec, probabilities: predictRows(spec, design, loss, rows) };
}

const rightOf = (probabilities: Float64Array, labels: Uint8Array, classes: number) =>
  labels.filter((label, row) => {
    const own = probabilities.subarray(row * classes, (row + 1) * classes);
    return own.indexOf(Math.max(...own)) === label;
  }).length;

test('an interaction that no single feature shows is learned', () => {
  const random = seededRandom(2);
  const [a, b] = [0, 1].map(() => Float64Array.from({ length: 600 }, random));
  const labels = Uint8Array.from(a ?? [], (value, row) => (value > 0.5 === (b?.[row] ?? 0) > 0.3 ? 1 : 0));
  const features = [a, b].map(values => ({ kind: 'ordered', values: values ?? new Float64Array() }) as const);
  assert.ok(rightOf(learned(features, labels, 2).probabilities, labels, 2) > 580);
});

test('unordered levels, missing values and three classes are learned', () => {
  const random = seededRandom(3);
  const levels = Float64Array.from({ length: 900 }, () =>
    random() < 0.2 ? Number.NaN : 1 + Math.floor(random() * 9),
  );
  const labels = Uint8Array.from(levels, level => (Number.isNaN(level) ? 2 : (level * 7) % 3 === 1 ? 1 : 0));
  assert.equal(
    rightOf(learned([{ kind: 'levels', values: levels }], labels, 3).probabilities, labels, 3),
    900,
  );
});

test('the same data and seed give the same trees', () => {
  const random = seededRandom(4);
  const features = [0, 1, 2].map(
    () => ({ kind: 'ordered', values: Float64Array.from({ length: 300 }, random) }) as const,
  );
  const labels = Uint8Array.from({ length: 300 }, () => (random() < 0.5 ? 1 : 0));
  assert.deepEqual(learned(features, labels, 2).spec, learned(features, labels, 2).spec);
});
