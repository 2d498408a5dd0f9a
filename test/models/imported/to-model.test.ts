import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import type { ImportedModel, ImportedTree } from '../../../src/models/imported/imported-model.ts';
import { toModel } from '../../../src/models/imported/to-model.ts';
import { compileModel } from '../../../src/models/model/compiled-model.ts';
import { engineOf } from '../../../src/models/model/engine.ts';

/** A tree of one split, for which the left leaf is `left` and the right one `right`. */
const stump = (
  score: number,
  left: number,
  right: number,
  more: Partial<ImportedTree> = {},
): ImportedTree => ({
  score,
  features: Int32Array.of(0, -1, -1),
  values: Float64Array.of(0.5, left, right),
  left: Int32Array.of(1, 0, 0),
  right: Int32Array.of(2, 0, 0),
  missingLeft: Uint8Array.of(0, 0, 0),
  sets: new Map(),
  ...more,
});

const modelOf = (trees: ImportedTree[], more: Partial<ImportedModel>): ImportedModel => ({
  library: 'XGBoost',
  version: '3.4.1',
  objective: 'a test',
  features: [{ name: 'x', categories: undefined }],
  trees,
  sum: { precision: 'double', base: [0] },
  link: { kind: 'identity' },
  predicts: { kind: 'numbers', count: 1 },
  iterations: { all: 1, used: 1 },
  notes: [],
  ...more,
});

function scores(imported: ImportedModel, values: number[]): number[] {
  const { model } = toModel(imported, {});
  const { predictor, columns, prediction, output } = model;
  const compiled = compileModel(predictor, columns, prediction, output);
  const engine = engineOf(compiled, { memory: BatchMemory.create() });
  return [...engine.scores(Float64Array.from(values), values.length)];
}

describe('the trees of an imported model', () => {
  it('may use no column, as those of a library that has found no split', () => {
    const leaf = { features: Int32Array.of(-1), values: Float64Array.of(3.25), left: Int32Array.of(-1) };
    const one = { right: Int32Array.of(-1), missingLeft: Uint8Array.of(0) };
    const features = ['plan', 'amount'].map(name => ({
      name,
      categories: name === 'plan' ? ({ kind: 'listed', texts: new Map() } as const) : undefined,
    }));
    const model = modelOf([stump(0, 0, 0, { ...leaf, ...one })], { features });
    assert.deepEqual(scores(model, [1, Number.NaN]), [3.25, 3.25]);
    const { notes, model: converted } = toModel(model, {});
    assert.deepEqual(
      converted.columns.map(({ name }) => name),
      ['amount'],
    );
    assert.match(notes.join(), /predicts the same for all rows. The report keeps "amount"/);
  });

  it('add to the score of their class, also if those of a class are one after the other', () => {
    const trees = [stump(0, 1, 2), stump(0, 10, 20), stump(1, 3, 4), stump(1, 30, 40)];
    const predicts = { kind: 'numbers', count: 2 } as const;
    const model = modelOf(trees, { sum: { precision: 'single', base: [0, 0] }, predicts });
    assert.deepEqual(scores(model, [0, 1]), [11, 33, 22, 44]);
    assert.throws(() => scores({ ...model, trees: trees.slice(1) }, []), { code: 'bad_model' });
  });

  it('test a category where zero is a missing number', () => {
    const number = { name: 'number', categories: undefined };
    const texts = new Map([
      [0, 'small'],
      [1, 'large'],
    ]);
    const features = [number, { name: 'size', categories: { kind: 'listed', texts } as const }];
    const tree = stump(0, 1, 2, {
      features: Int32Array.of(1, -1, -1),
      zeroIsMissing: Uint8Array.of(1, 0, 0),
      sets: new Map([[0, [1]]]),
    });
    // Levels are numbered from 1.
    assert.deepEqual(scores(modelOf([tree], { features }), [1, 2]), [2, 1]);
  });
});
