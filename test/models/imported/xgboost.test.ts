import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import type { Iterations } from '../../../src/models/imported/imported-model.ts';
import { readXgboost } from '../../../src/models/imported/xgboost.ts';

import { savedModel, savedModels } from './files.ts';

const modelOf = (file: string, iterations: Iterations = 'default') =>
  readXgboost(savedModel(`xgboost-${file}`), iterations);

/** A file in JSON with a text replaced. */
function changed(file: string, from: string | RegExp, to: string): Buffer {
  const text = savedModel(`xgboost-${file}`).toString();
  const other = text.replace(from, to);
  assert.notEqual(other, text);
  return Buffer.from(other);
}

function refusal(bytes: Buffer, iterations: Iterations = 'default'): string {
  try {
    readXgboost(bytes, iterations);
  } catch (error) {
    assert.ok(error instanceof RowcastError, String(error));
    return `${error.code}: ${error.message}`;
  }
  assert.fail('it is read');
}

describe('a model of XGBoost', () => {
  it('lists its categories from 3.1 on, and only their codes before', () => {
    const kinds = ['1.7', '3.0', '3.1', '3.4'].map(version =>
      modelOf(`${version}-binary-json.json`).features.map(({ categories }) => categories?.kind ?? 'number'),
    );
    const numbers = new Array<string>(5).fill('number');
    assert.deepEqual(kinds, [
      [...numbers, 'unknown', 'unknown'],
      [...numbers, 'unknown', 'unknown'],
      // The first column has a letter outside of ASCII.
      [...numbers, 'unknown', 'listed'],
      [...numbers, 'listed', 'listed'],
    ]);
    const { categories } = modelOf('3.4-binary-ubj.ubj').features[5] ?? {};
    assert.deepEqual(categories?.kind === 'listed' ? [...categories.texts.values()] : [], [
      'blue',
      'green',
      'grün',
      'red',
      'yellow',
    ]);
    assert.match(modelOf('3.1-binary-json.json').notes.join(), /outside of ASCII/);
  });

  it('of a class in the style of scikit-learn uses the trees up to the best iteration', () => {
    for (const { file, bytes, best = 0 } of savedModels('xgboost-').filter(({ file }) =>
      file.includes('stopped'),
    )) {
      const { iterations, trees, notes } = readXgboost(bytes, 'default');
      assert.deepEqual(iterations, { all: best + 3, best, used: best }, file);
      assert.equal(trees.length, best);
      assert.match(notes.join(), /Early stopping left/);
      assert.equal(readXgboost(bytes, 'all').trees.length, best + 3);
      assert.equal(readXgboost(bytes, 1).trees.length, 1);
      assert.match(refusal(bytes, best + 4), /^usage: the model has/);
    }
    assert.match(refusal(savedModel('xgboost-3.4-gamma.json'), 'best'), /^usage: the file does not say/);
  });

  it('has no names of features if it was trained with an array', () => {
    assert.deepEqual(
      modelOf('3.4-gamma.json').features.map(({ name }) => name),
      new Array(5).fill(undefined),
    );
  });

  it('with a text that does not end is refused at once', () => {
    const text = `{"version":[NaN,"${'name\\'.repeat(20_001)}`;
    assert.match(refusal(Buffer.from(text)), /^bad_model: the file is not valid JSON/);
  });

  it('is refused with the name of what cannot be kept', () => {
    const file = '3.4-gamma.json';
    const cases: [RegExp | string, string, RegExp][] = [
      ['"name":"gbtree"', '"name":"gblinear"', /^unsupported_model: a model of the booster "gblinear"/],
      ['"name":"reg:gamma"', '"name":"reg:magic"', /^unsupported_model: the objective "reg:magic"/],
      [
        /"size_leaf_vector":"1"/,
        '"size_leaf_vector":"3"',
        /^unsupported_model: .*trees\[0\] has leaves with several/,
      ],
      [/"version":\[3,4/, '"version":[1,6', /^unsupported_model: the model was saved by XGBoost 1.6/],
    ];
    for (const [from, to, message] of cases) assert.match(refusal(changed(file, from, to)), message);
  });

  it('that is damaged is refused with the tree and the member', () => {
    const file = '3.4-gamma.json';
    const trees = 'learner\\.gradient_booster\\.model\\.trees';
    const cases: [RegExp | string, string, RegExp][] = [
      [
        /"left_children":\[1,/,
        '"left_children":[0,',
        new RegExp(`^bad_model: ${trees}\\[0\\] has children 0 and 2`),
      ],
      [
        /"left_children":\[1,/,
        '"left_children":[99,',
        new RegExp(`^bad_model: ${trees}\\[0\\]\\.left_children\\[0\\] is 99`),
      ],
      [
        /"split_conditions":\[[^,]*,/,
        '"split_conditions":[',
        new RegExp(`^bad_model: ${trees}\\[0\\]\\.split_conditions has`),
      ],
      [/"split_indices":\[\d+/, '"split_indices":[77', /^bad_model: tree 0: node 0 tests feature 5 of 5/],
      [
        /"base_score":"[^"]*"/,
        '"base_score":"[-1E0]"',
        /^bad_model: .*base_score is -1, which is no positive number/,
      ],
    ];
    for (const [from, to, message] of cases) assert.match(refusal(changed(file, from, to)), message);
    const ubj = savedModel('xgboost-3.4-dart.ubj');
    assert.match(refusal(ubj.subarray(0, 9000)), /^bad_model: byte \d+: /);
    assert.match(
      refusal(savedModel(`xgboost-${file}`).subarray(0, 3000)),
      /^bad_model: the file is not valid JSON/,
    );
  });
});
