import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { readLightgbm } from '../../../src/models/imported/lightgbm.ts';
import { KIND_BYTES, modelKind } from '../../../src/models/imported/model-kind.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { mutate } from '../../mutated-inputs/mutate.ts';
import { runs } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import { scoresOf } from './evaluate.ts';

const folder = join(root, 'fixtures/models');
const files = readdirSync(folder)
  .filter(file => /^lightgbm-.*\.txt$/.test(file))
  .map(file => readFileSync(join(folder, file)));

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

describe('a model of LightGBM that is changed at random places', () => {
  it('is read or refused with a code, and can be walked', () => {
    const counts: Record<string, number> = {};
    const count = runs(20_000, 600);
    for (let seed = 1; seed <= count; seed++) {
      const file = files[seed % files.length] ?? Buffer.alloc(0);
      let changed = seed % 3 === 0 ? file : withLinesMoved(file, seed);
      if (seed % 3 !== 1) changed = mutate(changed, seed, false);
      let outcome = 'read';
      try {
        assert.equal(modelKind(changed.subarray(0, KIND_BYTES)).library, 'LightGBM');
        const model = readLightgbm(changed, 'default');
        assert.equal(
          scoresOf(
            model,
            model.features.map(() => null),
          ).some(Number.isNaN),
          false,
        );
      } catch (error) {
        if (error instanceof RowcastError) outcome = error.code;
        else assert.fail(`seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
      }
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    assert.deepEqual(Object.keys(counts).sort(), ['bad_model', 'read', 'unsupported_model']);
    assert.ok((counts.bad_model ?? 0) > count / 10, JSON.stringify(counts));
  });
});
