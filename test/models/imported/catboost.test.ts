import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { readCatboost } from '../../../src/models/imported/catboost.ts';

import { savedModel } from './files.ts';

const modelOf = (file: string) => readCatboost(savedModel(`catboost-1.2-${file}.json`), 'default');

function refusal(bytes: Buffer): string {
  try {
    readCatboost(bytes, 'default');
  } catch (error) {
    assert.ok(error instanceof RowcastError, String(error));
    return `${error.code}: ${error.message}`;
  }
  assert.fail('it is read');
}

describe('a model of CatBoost', () => {
  it('has the names of its classes, and what its scores become', () => {
    assert.deepEqual(
      ['categories', 'numbers', 'lossguide'].map(file => [modelOf(file).link, modelOf(file).predicts]),
      [
        [
          { kind: 'sigmoid', factor: 1 },
          { kind: 'classes', count: 2, names: ['no', 'yes'] },
        ],
        [{ kind: 'identity' }, { kind: 'numbers', count: 1 }],
        [
          { kind: 'softmax', exp: 'fast' },
          { kind: 'classes', count: 3, names: ['0', '1', '2'] },
        ],
      ],
    );
  });

  it('lists its categories if it was saved with its data', () => {
    const kinds = ['categories', 'listed'].map(file => modelOf(file).features.at(-1)?.categories?.kind);
    assert.deepEqual(kinds, ['unknown', 'listed']);
    const { categories } = modelOf('listed').features[5] ?? {};
    assert.ok(categories?.kind === 'listed' && [...categories.texts.values()].includes('grün'));
  });

  it('with counters over categories is refused', () => {
    assert.match(
      refusal(savedModel('catboost-1.2-counters.json')),
      /^unsupported_model: the model replaces categories by counters \(CTRs/,
    );
  });

  it('that is cut off, or whose leaves are too few, is refused', () => {
    const bytes = savedModel('catboost-1.2-numbers.json');
    assert.match(refusal(bytes.subarray(0, 5000)), /^bad_model: the file is not valid JSON/);
    const short = bytes.toString().replace(/"leaf_values":\s*\[[^,]*,/, '"leaf_values":[');
    assert.match(
      refusal(Buffer.from(short)),
      /^bad_model: oblivious_trees\[0\]\.leaf_values has 15 elements/,
    );
  });
});
