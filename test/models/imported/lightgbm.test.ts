import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { readLightgbm } from '../../../src/models/imported/lightgbm.ts';
import { root } from '../../support/root.ts';
import { type Cell, scoresOf } from './evaluate.ts';

const folder = join(root, 'fixtures/models');
const fileOf = (name: string): Buffer => readFileSync(join(folder, `lightgbm-${name}.txt`));
const modelOf = (name: string) => readLightgbm(fileOf(name), 'default');

/** What the library gave. */
interface Expected {
  rows: Cell[][];
  scores: number[][];
  predictions: number[][];
}
const expectedOf = (name: string): Expected =>
  JSON.parse(readFileSync(join(folder, `lightgbm-${name}.json`), 'utf8'));

/** A file with a text replaced, and the sizes of its trees with it, so that nothing else is wrong. */
function changed(name: string, from: string | RegExp, to: string): Buffer {
  const text = fileOf(name).toString();
  const other = text.replace(from, to);
  assert.notEqual(other, text);
  return Buffer.from(other.replace(/^tree_sizes=.*\n/m, ''));
}

function refusal(bytes: Buffer): { code: string; message: string; hint: string | undefined } {
  try {
    readLightgbm(bytes, 'default');
  } catch (error) {
    assert.ok(error instanceof RowcastError, String(error));
    return { code: error.code, message: error.message, hint: error.hint };
  }
  assert.fail('it is read');
}

const names = readdirSync(folder)
  .filter(file => file.startsWith('lightgbm-') && file.endsWith('.json'))
  .map(file => file.slice('lightgbm-'.length, -'.json'.length));

describe('a model of LightGBM', () => {
  it('is of versions v2, v3 and v4', () => {
    assert.deepEqual([...new Set(names.map(name => modelOf(name).version))].sort(), ['v2', 'v3', 'v4']);
  });

  it('says how its scores become predictions', () => {
    const outcomes = Object.fromEntries(
      names.map(name => {
        const { objective, link, predicts } = modelOf(name);
        return [name, [objective, link, predicts]];
      }),
    );
    const identity = { kind: 'identity' };
    const oneNumber = { kind: 'numbers', count: 1 };
    assert.deepEqual(outcomes, {
      '2.2-binary': ['binary sigmoid:0.7', { kind: 'sigmoid', factor: 0.7 }, { kind: 'classes', count: 2 }],
      '2.2-xentropy': ['cross_entropy', { kind: 'sigmoid', factor: 1 }, oneNumber],
      '2.3-multiclass': ['multiclass num_class:3', { kind: 'softmax' }, { kind: 'classes', count: 3 }],
      '2.3-regression': ['regression', identity, oneNumber],
      '3.3-forest': ['regression', identity, oneNumber],
      '3.3-ordered': ['binary sigmoid:1', { kind: 'sigmoid', factor: 1 }, { kind: 'classes', count: 2 }],
      '4.7-binary': ['binary sigmoid:1', { kind: 'sigmoid', factor: 1 }, { kind: 'classes', count: 2 }],
      '4.7-codes': ['poisson', { kind: 'exp' }, oneNumber],
      '4.7-custom': ['custom', identity, oneNumber],
      '4.7-inf': ['regression sqrt', { kind: 'signedSquare' }, oneNumber],
      '4.7-positions': [
        'multiclassova num_class:3 sigmoid:1.3',
        { kind: 'sigmoid', factor: 1.3 },
        { kind: 'classes', count: 3 },
      ],
    });
  });

  it('divides the sum of a random forest by its iterations, which raw_score does not', () => {
    const model = modelOf('3.3-forest');
    const { rows, predictions } = expectedOf('3.3-forest');
    assert.equal(model.sum.divisor, 3);
    assert.deepEqual(
      rows.map(row => [(scoresOf(model, row)[0] ?? 0) / 3]),
      predictions,
    );
  });

  it('is cut after as many iterations as are asked for, of all classes', () => {
    const three = readLightgbm(fileOf('2.3-multiclass'), 1);
    assert.deepEqual([three.trees.length, three.iterations], [3, { all: 2, used: 1 }]);
    const forest = readLightgbm(fileOf('3.3-forest'), 2);
    assert.deepEqual([forest.trees.length, forest.sum.divisor], [2, 2]);
    assert.throws(() => readLightgbm(fileOf('3.3-forest'), 4), {
      code: 'usage',
      message: /3 iterations, so 4/,
    });
  });

  it('uses all iterations if the best is asked for, and says so', () => {
    const { iterations, notes } = readLightgbm(fileOf('4.7-binary'), 'best');
    assert.deepEqual(iterations, { all: 6, used: 6 });
    assert.match(notes.join('\n'), /saves only the trees up to the best iteration/);
  });
});

describe('the features of a model of LightGBM', () => {
  const textsOf = (name: string): Record<string, unknown> =>
    Object.fromEntries(
      modelOf(name).features.map(({ name: feature = '?', categories }) => [
        feature,
        categories?.kind === 'listed' ? [...categories.texts.values()].join(' ') : categories?.kind,
      ]),
    );

  it('have the categories of pandas by position, as Python prints them', () => {
    assert.deepEqual(textsOf('4.7-binary'), {
      monthly_charges: undefined,
      age: undefined,
      balance: undefined,
      plan: 'basic plus pro été',
      district: '10000 10003 20017',
      size: 'large medium small',
      partner: 'False True',
      constant: undefined,
    });
  });

  it('have categories if those are ordered, which the library compares as numbers', () => {
    assert.equal(textsOf('3.3-ordered').size, 'small medium large');
    assert.match(modelOf('3.3-ordered').notes.join('\n'), /Ordered categories of pandas.*: size\./);
  });

  it('have codes as categories if they were trained without pandas, which is said', () => {
    const { features, notes } = modelOf('4.7-codes');
    assert.deepEqual(features.at(-1), { name: 'district', categories: { kind: 'codes' } });
    assert.match(notes.join('\n'), /taken as whole numbers/);
  });

  it('have no names if the file has only positions', () => {
    assert.ok(modelOf('4.7-positions').features.every(({ name }) => name === undefined));
  });

  it('may have had spaces in place of underscores', () => {
    const [first, second] = modelOf('4.7-binary').features;
    assert.deepEqual([first?.name, first?.hasUnderscores], ['monthly_charges', true]);
    assert.deepEqual([second?.name, second?.hasUnderscores], ['age', undefined]);
  });

  it('have unknown categories if the lists fit several columns', () => {
    const bytes = changed('3.3-ordered', / none$/m, ' [0:1]');
    const { features, notes } = readLightgbm(bytes, 'default');
    assert.deepEqual(
      features.map(({ categories }) => categories?.kind),
      [undefined, undefined, undefined, 'listed', 'listed', 'unknown', 'unknown', 'unknown'],
    );
    assert.match(notes.join('\n'), /does not say which columns/);
  });
});

/** Changes of a file: what is wrong then, the file, what is replaced by what, and what the error says. */
type Changes = readonly (readonly [
  what: string,
  name: string,
  from: string | RegExp,
  to: string,
  says: RegExp,
])[];

describe('a file of LightGBM that cannot be kept exactly', () => {
  const unsupported = (bytes: Buffer, says: RegExp): void => {
    const { code, message, hint } = refusal(bytes);
    assert.equal(code, 'unsupported_model', message);
    assert.match(message, says);
    assert.ok(hint);
  };

  it('is refused for linear trees', () => {
    unsupported(fileOf('4.7-linear'), /tree \d has linear models/);
    assert.match(refusal(fileOf('4.7-linear')).hint ?? '', /Train it without linear_tree/);
  });

  const changes: Changes = [
    ['an unknown objective', '4.7-binary', 'objective=binary', 'objective=ternary', /"ternary" is not known/],
    ['a setting of one', '4.7-binary', 'sigmoid:1', 'sigmoid:1 tilt:2', /that is not known: tilt:2/],
    ['an unknown key', '4.7-binary', 'label_index=0', 'label_index=0\nbase=1', /the key "base" is not known/],
    [
      'one of a tree',
      '4.7-binary',
      'num_cat=',
      'base=1\nnum_cat=',
      /tree 0 has the key "base", which is not/,
    ],
    ['another version', '4.7-binary', 'version=v4', 'version=v5', /version=v5 is not read/],
    ['a name twice', '4.7-binary', ' age ', ' monthly_charges ', /two features have the name/],
    [
      'a category and number',
      '4.7-codes',
      /feature_infos=\S+/,
      'feature_infos=0:1:2',
      /category in one tree/,
    ],
    ['more leaves than memory holds', '4.7-custom', 'num_leaves=7', 'num_leaves=2147483647', /./],
  ];
  for (const [what, name, from, to, says] of changes)
    it(`is refused for ${what}`, () => unsupported(changed(name, from, to), says));
});

describe('a damaged file of LightGBM', () => {
  const damaged = (bytes: Buffer, says: RegExp): void => {
    const { code, message } = refusal(bytes);
    assert.equal(code, 'bad_model', message);
    assert.match(message, says);
  };

  it('is refused wherever it is cut off', () => {
    const bytes = fileOf('2.3-multiclass');
    const end = bytes.indexOf('pandas_categorical:');
    for (let length = 5; length < end - 1; length += 37) {
      // Without the lists of pandas, the file is as other languages write it.
      if (bytes.subarray(0, length).toString().endsWith('end of parameters\n')) continue;
      assert.match(refusal(bytes.subarray(0, length)).code, /_model$/, `at ${length}`);
    }
  });

  const changes: Changes = [
    [
      'a short list',
      '4.7-custom',
      /^left_child=\S+/m,
      'left_child=',
      /left_child has 5 numbers instead of 6/,
    ],
    ['what is no number', '4.7-custom', /^leaf_value=\S+/m, 'leaf_value=0x1', /"0x1", which is no/],
    ['an infinite leaf', '4.7-custom', /^leaf_value=\S+/m, 'leaf_value=inf', /the leaf .* Infinity/],
    ['a threshold that is NaN', '4.7-custom', /^threshold=\S+/m, 'threshold=nan', /threshold has "nan"/],
    ['a child of itself', '4.7-custom', /^left_child=\S+/m, 'left_child=0', /node 0 is reached in two ways/],
    [
      'a child that is missing',
      '4.7-custom',
      /^left_child=\S+/m,
      'left_child=99',
      /tree 0: node 0 has a child/,
    ],
    [
      'a leaf that is missing',
      '4.7-custom',
      /^left_child=\S+/m,
      'left_child=-99',
      /tree 0: node 0 has a child/,
    ],
    ['too many leaves', '4.7-custom', 'num_leaves=7', 'num_leaves=2000000', /too short for them/],
    ['no such feature', '4.7-custom', /^split_feature=\S+/m, 'split_feature=4', /feature 4, but max.* 3/],
    [
      'a name that is missing',
      '4.7-custom',
      'max_feature_idx=3',
      'max_feature_idx=4',
      /feature_names has 4 features/,
    ],
    ['wrong categories', '4.7-binary', 'pandas_categorical:[[', 'pandas_categorical:[{', /is no list/],
  ];
  for (const [what, name, from, to, says] of changes)
    it(`is refused for ${what}`, () => damaged(changed(name, from, to), says));

  it('is refused if trees are missing', () => {
    const text = fileOf('4.7-custom').toString();
    const second = text.slice(text.indexOf('Tree=1'), text.indexOf('Tree=2'));
    damaged(Buffer.from(text.replace(second, '')), /tree 1 is expected here/);
    const last = text.slice(text.indexOf('Tree=3'), text.indexOf('end of trees'));
    damaged(Buffer.from(text.replace(last, '')), /there are 3 trees, but tree_sizes has 4/);
    const longer = Buffer.from(text.replace(/^leaf_count=/m, 'leaf_count=0'));
    damaged(longer, /tree 0 has \d+ bytes, but \d+ according to/);
  });

  it('is refused if its line endings were changed', () => {
    damaged(Buffer.from(fileOf('4.7-custom').toString().replaceAll('\n', '\r\n')), /CR LF/);
  });
});
