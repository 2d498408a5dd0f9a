import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { readCatboost } from '../../../src/models/imported/catboost.ts';
import type { ImportedModel, Iterations } from '../../../src/models/imported/imported-model.ts';
import { readLightgbm } from '../../../src/models/imported/lightgbm.ts';
import { KIND_BYTES, modelKind } from '../../../src/models/imported/model-kind.ts';
import { readXgboost } from '../../../src/models/imported/xgboost.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { mutate } from '../../mutated-inputs/mutate.ts';
import { runs, seed } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import { scoresOf } from './evaluate.ts';
import { savedModel, savedModels } from './files.ts';

/** Copies, removes or exchanges whole lines, and forgets the sizes of trees, so that more of it is read. */
function withLinesMoved(file: Buffer, seed: number): Buffer {
  const random = seededRandom(seed);
  const lines = file
    .toString()
    .split('\n')
    .filter(line => !line.startsWith('tree_sizes='));
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const [at, from] = [random(), random()].map(share => Math.floor(share * lines.length));
    const kind = random();
    lines.splice(at ?? 0, kind < 0.6 ? 1 : 0, ...(kind < 0.3 ? [] : lines.slice(from, (from ?? 0) + 1)));
  }
  return Buffer.from(lines.join('\n'));
}

interface Mutated {
  library: string;
  files: readonly string[];
  read(bytes: Buffer, iterations: Iterations): ImportedModel;
  /** The file with changes at random places. */
  change(bytes: Buffer, seed: number, file: string): Buffer;
  /** The number of changed files. */
  count: number;
}

const changeBytes: Mutated['change'] = (bytes, seed, file) => mutate(bytes, seed, file.endsWith('.ubj'));
const mutations: Mutated[] = [
  {
    library: 'LightGBM',
    files: readdirSync(join(root, 'fixtures/models')).filter(file => /^lightgbm-.*\.txt$/.test(file)),
    read: readLightgbm,
    change(bytes, seed, file) {
      const moved = seed % 3 === 0 ? bytes : withLinesMoved(bytes, seed);
      return seed % 3 === 1 ? moved : changeBytes(moved, seed, file);
    },
    count: runs(20_000, 600),
  },
  ...[
    { library: 'XGBoost', read: readXgboost },
    { library: 'CatBoost', read: readCatboost },
  ].map(({ library, read }) => ({
    library,
    files: savedModels(`${library.toLowerCase()}-`).map(({ file }) => file),
    read,
    change: changeBytes,
    count: runs(20_000, 400),
  })),
];

describe('a model file that is changed at random places', () => {
  for (const { library, files, read, change, count } of mutations)
    it(`is read and can be walked, or is refused with a code: ${library}`, () => {
      const counts: Record<string, number> = {};
      const models = files.map(file => ({ file, bytes: savedModel(file) }));
      for (let i = 0; i < count; i++) {
        const { file, bytes } = models[i % models.length] ?? assert.fail();
        const changed = change(bytes, seed + i, file);
        let outcome = 'read';
        try {
          if (library === 'LightGBM')
            assert.equal(modelKind(changed.subarray(0, KIND_BYTES)).library, library);
          const model = read(changed, 'default');
          const scores = scoresOf(
            model,
            model.features.map(() => null),
          );
          assert.ok(!scores.some(Number.isNaN));
        } catch (error) {
          if (!(error instanceof RowcastError))
            throw new Error(`mutation ${seed + i} of ${file}`, { cause: error });
          outcome = error.code;
        }
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      const { read: whole = 0, bad_model: bad = 0, unsupported_model: unsupported = 0 } = counts;
      assert.equal(whole + bad + unsupported, count, JSON.stringify(counts));
      assert.ok(whole > 0 && bad > count / 10, JSON.stringify(counts));
    });
});
