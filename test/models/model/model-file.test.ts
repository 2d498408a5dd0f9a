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
const refused: { what: string; file: () => Promise<Buffer>; reason: RegExp }[] = [
  { what: 'not a zip', file: async () => Buffer.from('no zip'), reason: /zip/ },
  { what: 'an empty file', file: async () => Buffer.alloc(0), reason: /zip/ },
  {
    what: 'a truncated zip',
    file: async () => (await modelFile(valid)).subarray(0, 200),
    reason: /zip/,
  },
  {
    what: 'a zip without a description',
    file: () => new JSZip().file('x', 'x').generateAsync({ type: 'nodebuffer' }),
    reason: /it has no rowcast\.json/,
  },
  { what: 'truncated JSON', file: () => modelFile(valid.slice(0, -50)), reason: /JSON/ },
  {
    what: 'a number in place of the model',
    file: () => modelFile(7),
    reason: /rowcast\.json is not an object/,
  },
  {
    what: 'a later format',
    file: () => modelFile({ ...describedTrees(), format: 3 }),
    reason: /rowcast\.json is not of a format that this version of rowcast reads$/,
  },
  { what: 'one class', file: () => modelFile({ ...describedTrees(), classes: ['no'] }), reason: /classes/ },
  {
    what: 'an unknown kind of column',
    file: () => modelFile({ ...describedTrees(), columns: [{ name: 'amount', type: 'picture' }] }),
    reason: /columns\.0\.type/,
  },
  {
    what: 'an unknown kind of predictor',
    file: () => changed({ kind: 'forest' }),
    reason: /predictor\.kind/,
  },
  {
    what: 'text as a threshold',
    file: () => changed({ values: ['25', -1, 0, 1, 2] }),
    reason: /predictor\.values\.0/,
  },
  { what: 'NaN as a threshold', file: () => modelFile(valid.replace('[25,', '[NaN,')), reason: /JSON/ },
  {
    what: 'null as a threshold',
    file: () => changed({ values: [null, -1, 0, 1, 2] }),
    reason: /predictor\.values\.0/,
  },
  {
    what: 'an infinite threshold',
    file: () => modelFile(valid.replace('[25,', '[1e999,')),
    reason: /predictor\.values\.0/,
  },
  {
    what: 'lists of different lengths',
    file: () => changed({ right: [2, 0, 4, 0] }),
    reason: /differ in length/,
  },
  { what: 'too many scores', file: () => changed({ base: [0.5, 0.5] }), reason: /differ in length/ },
  { what: 'a missing root', file: () => changed({ roots: [5] }), reason: /starts outside/ },
  {
    what: 'a negative root',
    file: () => changed({ roots: [-1] }),
    reason: /predictor\.roots\.0/,
  },
  {
    what: 'a root beyond 32 bits',
    file: () => changed({ roots: [2 ** 31] }),
    reason: /predictor\.roots\.0/,
  },
  {
    what: 'a set beyond 32 bits',
    file: () => changed({ sets: [2 ** 31, -1, -1, -1, -1] }),
    reason: /predictor\.sets\.0/,
  },
  {
    what: 'a missing child',
    file: () => changed({ right: [5, 0, 4, 0, 0] }),
    reason: /node 0 .* node 5/,
  },
  {
    what: 'a node that is its own child',
    file: () => changed({ right: [2, 0, 2, 0, 0] }),
    reason: /node 2 .* node 2/,
  },
  {
    what: 'a child before its parent',
    file: () => changed({ right: [2, 0, 0, 0, 0] }),
    reason: /node 2 .* node 0/,
  },
  {
    what: 'the same child on both sides',
    file: () => changed({ right: [1, 0, 4, 0, 0] }),
    reason: /node 0 .* node 1/,
  },
  {
    what: 'a last node that is not a leaf',
    file: () => changed({ features: [0, -1, 1, -1, 0] }),
    reason: /node 4 .* node 0/,
  },
  { what: 'half a node', file: () => changed({ right: [2, 0, 4.5, 0, 0] }), reason: /predictor\.right\.2/ },
  {
    what: 'a missing feature',
    file: () => changed({ features: [2, -1, 1, -1, -1] }),
    reason: /node 0 .* feature 2/,
  },
  {
    what: 'a negative feature',
    file: () => changed({ features: [-2, -1, 1, -1, -1] }),
    reason: /predictor\.features\.0/,
  },
  {
    what: 'a missing set',
    file: () => changed({ sets: [-1, -1, 1, -1, -1] }),
    reason: /node 2 .* set 1/,
  },
  {
    what: 'a set for a numerical column',
    file: () => changed({ sets: [0, -1, 0, -1, -1] }),
    reason: /node 0 .* feature 0 with set 0/,
  },
  {
    what: 'a threshold for a categorical column',
    file: () => changed({ sets: [-1, -1, -1, -1, -1] }),
    reason: /node 2 .* feature 1 with set -1/,
  },
  { what: 'a level that does not exist', file: () => changed({ levels: [[1, 4]] }), reason: /level 4/ },
  {
    what: 'a level that exceeds 16 bits',
    file: () => changed({ levels: [[65_536]] }),
    reason: /predictor\.levels\.0\.0/,
  },
  {
    what: 'an invalid side for missing values',
    file: () => changed({ missing: [2, 0, 0, 0, 0] as never }),
    reason: /predictor\.missing\.0/,
  },
  {
    what: 'too few weights',
    file: () => linear(features => features.slice(1)),
    reason: /weights for 1 features/,
  },
  {
    what: 'weights for too many scores',
    file: () => linear(([first, ...others]) => [{ ...first, kind: 'number', weights: [1, 2] }, ...others]),
    reason: /not all of its terms have 1 weights/,
  },
  {
    what: 'weights of levels for a numerical column',
    file: () => linear(features => features.toReversed()),
    reason: /feature 0 has weights of levels/,
  },
  {
    what: 'a scale of 0',
    file: () => linear(([first, ...others]) => [{ ...first, kind: 'number', scale: 0 }, ...others]),
    reason: /predictor\.features\.0\.scale/,
  },
  {
    what: 'targets that are not integers',
    file: () => {
      const [amount, plan] = describedTrees().columns;
      return modelFile({ ...describedTrees(), columns: [amount, { ...(plan as object), targets: [[0.5]] }] });
    },
    reason: /targets of "plan"/,
  },
  {
    what: 'an invalid node in a model so large that a thread reads it',
    file: async () => {
      const chain = describedChain(100_001);
      chain.predictor.right[50_000] = 40_000;
      return modelFile(chain);
    },
    reason: /node 50000 .* node 40000/,
  },
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

for (const { what, file, reason } of refused)
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
