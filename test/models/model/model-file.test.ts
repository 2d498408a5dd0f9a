import assert from 'node:assert/strict';
import { test } from 'node:test';
import JSZip from 'jszip';
import { predictColumns } from '../../../src/models/model/engine.ts';
import { loadModel } from '../../../src/models/model/model-file.ts';
import { toSinglePrecision } from '../../../src/models/model/single-precision.ts';
import {
  describedChain,
  describedLinear,
  describedTrees,
  modelFile,
} from '../../support/service/model-files.ts';

type Trees = ReturnType<typeof describedTrees>;

const valid = JSON.stringify(describedTrees());
const nodes = describedTrees().predictor;

/** Invalid model files, each with its error message. */
const refused: [what: string, file: () => Promise<Buffer>, reason: RegExp][] = [
  ['not a zip', async () => Buffer.from('no zip'), /zip/],
  ['an empty file', async () => Buffer.alloc(0), /zip/],
  ['a truncated zip', async () => (await modelFile(valid)).subarray(0, 200), /zip/],
  [
    'a zip without a description',
    () => new JSZip().file('x', 'x').generateAsync({ type: 'nodebuffer' }),
    /it has no rowcast\.json/,
  ],
  ['truncated JSON', () => modelFile(valid.slice(0, -50)), /JSON/],
  ['a number in place of the model', () => modelFile(7), /rowcast\.json is not an object/],
  [
    'a later format',
    () => modelFile({ ...describedTrees(), format: 3 }),
    /rowcast\.json is not of a format that this version of rowcast reads$/,
  ],
  ['one class', () => modelFile({ ...describedTrees(), classes: ['no'] }), /classes/],
  [
    'an unknown kind of column',
    () => modelFile({ ...describedTrees(), columns: [{ name: 'amount', type: 'picture' }] }),
    /columns\.0\.type/,
  ],
  ['an unknown kind of predictor', () => changed({ kind: 'forest' }), /predictor\.kind/],
  ['text as a threshold', () => changed({ values: ['25', -1, 0, 1, 2] }), /predictor\.values\.0/],
  ['NaN as a threshold', () => modelFile(valid.replace('[25,', '[NaN,')), /JSON/],
  ['null as a threshold', () => changed({ values: [null, -1, 0, 1, 2] }), /predictor\.values\.0/],
  ['an infinite threshold', () => modelFile(valid.replace('[25,', '[1e999,')), /predictor\.values\.0/],
  ['lists of different lengths', () => changed({ right: [2, 0, 4, 0] }), /differ in length/],
  ['too many scores', () => changed({ base: [0.5, 0.5] }), /differ in length/],
  ['a missing root', () => changed({ roots: [5] }), /starts outside/],
  ['a negative root', () => changed({ roots: [-1] }), /predictor\.roots\.0/],
  ['a root beyond 32 bits', () => changed({ roots: [2 ** 31] }), /predictor\.roots\.0/],
  ['a set beyond 32 bits', () => changed({ sets: [2 ** 31, -1, -1, -1, -1] }), /predictor\.sets\.0/],
  ['a missing child', () => changed({ right: [5, 0, 4, 0, 0] }), /node 0 .* node 5/],
  ['a node that is its own child', () => changed({ right: [2, 0, 2, 0, 0] }), /node 2 .* node 2/],
  ['a child before its parent', () => changed({ right: [2, 0, 0, 0, 0] }), /node 2 .* node 0/],
  ['the same child on both sides', () => changed({ right: [1, 0, 4, 0, 0] }), /node 0 .* node 1/],
  ['a last node that is not a leaf', () => changed({ features: [0, -1, 1, -1, 0] }), /node 4 .* node 0/],
  ['half a node', () => changed({ right: [2, 0, 4.5, 0, 0] }), /predictor\.right\.2/],
  ['a missing feature', () => changed({ features: [2, -1, 1, -1, -1] }), /node 0 .* feature 2/],
  ['a negative feature', () => changed({ features: [-2, -1, 1, -1, -1] }), /predictor\.features\.0/],
  ['a missing set', () => changed({ sets: [-1, -1, 1, -1, -1] }), /node 2 .* set 1/],
  [
    'a set for a numerical column',
    () => changed({ sets: [0, -1, 0, -1, -1] }),
    /node 0 .* feature 0 with set 0/,
  ],
  [
    'a threshold for a categorical column',
    () => changed({ sets: [-1, -1, -1, -1, -1] }),
    /node 2 .* feature 1 with set -1/,
  ],
  ['a level that does not exist', () => changed({ levels: [[1, 4]] }), /level 4/],
  ['a level that exceeds 16 bits', () => changed({ levels: [[65_536]] }), /predictor\.levels\.0\.0/],
  [
    'an invalid side for missing values',
    () => changed({ missing: [2, 0, 0, 0, 0] as never }),
    /predictor\.missing\.0/,
  ],
  ['too few weights', () => linear(features => features.slice(1)), /weights for 1 features/],
  [
    'weights for too many scores',
    () => linear(([first, ...others]) => [{ ...first, kind: 'number', weights: [1, 2] }, ...others]),
    /not all of its terms have 1 weights/,
  ],
  [
    'weights of levels for a numerical column',
    () => linear(features => features.toReversed()),
    /feature 0 has weights of levels/,
  ],
  [
    'a scale of 0',
    () => linear(([first, ...others]) => [{ ...first, kind: 'number', scale: 0 }, ...others]),
    /predictor\.features\.0\.scale/,
  ],
  [
    'targets that are not integers',
    () => {
      const [amount, plan] = describedTrees().columns;
      return modelFile({ ...describedTrees(), columns: [amount, { ...(plan as object), targets: [[0.5]] }] });
    },
    /targets of "plan"/,
  ],
  [
    'an invalid node in a model so large that a thread reads it',
    async () => {
      const chain = describedChain(100_001);
      chain.predictor.right[50_000] = 40_000;
      return modelFile(chain);
    },
    /node 50000 .* node 40000/,
  ],
];

function changed(parts: Partial<Trees['predictor']>): Promise<Buffer> {
  return modelFile({ ...describedTrees(), predictor: { ...nodes, ...parts } });
}

type Weights = ReturnType<typeof describedLinear>['predictor']['features'];

function linear(change: (features: Weights) => Weights): Promise<Buffer> {
  const described = describedLinear();
  const { predictor } = described;
  return modelFile({ ...described, predictor: { ...predictor, features: change(predictor.features) } });
}

for (const [what, file, reason] of refused)
  test(`a model file with ${what} is refused as damaged, with the reason`, async () => {
    await assert.rejects(loadModel(await file()), error => {
      assert.ok(error instanceof Error && 'code' in error, String(error));
      assert.equal(error.code, 'damaged_model');
      assert.match(error.message, reason);
      return true;
    });
  });

const logistic = (score: number) => 1 / (1 + Math.exp(-score));

/** Each is rounded on its own: 1 minus a rounded number would have digits that it is not worth. */
const bothClasses = (score: number) => [1 - logistic(score), logistic(score)].map(toSinglePrecision);

test('valid trees and a valid linear model predict what they describe', async () => {
  const trees = await loadModel(await modelFile(describedTrees()));
  // Values up to the threshold, a missing value, and larger values with each level and without one.
  const columns = [
    [25, null, 26, 26, 26, 26],
    [1, 2, 1, 2, 3, null],
  ];
  assert.deepEqual(
    [...predictColumns(trees.engine, columns)],
    [-0.5, -0.5, 1.5, 2.5, 1.5, 2.5].flatMap(bothClasses),
  );
  const linear = await loadModel(await modelFile(describedLinear()));
  assert.deepEqual(
    [...predictColumns(linear.engine, columns)],
    [2, 2.5, 2.1, 3.1, 4.1, 1.1].flatMap(bothClasses),
  );
});

test('a large model predicts the same, whether it was read in a thread or not', async () => {
  const nodes = 100_001;
  const file = await modelFile(describedChain(nodes));
  assert.ok(file.length > 128 * 1024, `${file.length} bytes`);
  const { engine, bytes } = await loadModel(file);
  const [, second = 0] = predictColumns(engine, [[50_000]]);
  assert.equal(second, toSinglePrecision(logistic(0.5 + 50_001 / 1e6)));
  assert.ok(bytes > 20 * nodes && bytes < 40 * nodes, `${bytes} bytes`);
});
