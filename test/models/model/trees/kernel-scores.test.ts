import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { random } from '../../../../fixtures/random.ts';
import { BatchMemory } from '../../../../src/base/kernel/batch-memory.ts';
import type { FeatureKind, TreesSpec } from '../../../../src/models/model/predictor-spec.ts';
import { featureBins } from '../../../../src/models/model/trees/bins.ts';
import { type CompiledTrees, compileTrees } from '../../../../src/models/model/trees/compiled-trees.ts';
import { kernelScores } from '../../../../src/models/model/trees/kernel-scores.ts';
import { leafMasks } from '../../../../src/models/model/trees/leaf-masks.ts';
import { nodeTable } from '../../../../src/models/model/trees/node-table.ts';
import { type AddScores, treeScores } from '../../../../src/models/model/trees/walk-trees.ts';
import { runs } from '../../../support/random-tests.ts';

interface Shape {
  kinds: readonly FeatureKind[];
  stride: number;
  trees: number;
  leaves: number;
  /** Chooses a number from 0 to below the limit. */
  pick(limit: number): number;
}

/** Random trees; a leaf is chosen at random and split until there are enough. */
function randomTrees({ kinds, stride, trees, leaves, pick }: Shape): TreesSpec {
  const spec: TreesSpec = {
    kind: 'trees',
    base: Array.from({ length: stride }, () => pick(100) / 7),
    roots: [],
    features: [],
    values: [],
    right: [],
    missing: [],
    sets: [],
    levels: [],
  };
  const add = (left: number): void => {
    const at = spec.features.length;
    spec.right.push(0);
    spec.missing.push(pick(2) === 1 ? 1 : 0);
    if (left === 1) {
      spec.features.push(-1);
      spec.values.push((pick(2001) - 1000) / 997);
      spec.sets.push(-1);
      return;
    }
    const feature = pick(kinds.length);
    const highest = kinds[feature]?.highest;
    spec.features.push(feature);
    spec.values.push(highest === undefined ? pick(40) / 3 : 0);
    const members = Array.from({ length: highest ?? 0 }, (_, i) => i + 1).filter(() => pick(2) === 1);
    spec.sets.push(highest === undefined ? -1 : spec.levels.push(members) - 1);
    const own = 1 + pick(left - 1);
    add(own);
    spec.right[at] = spec.features.length;
    add(left - own);
  };
  for (let tree = 0; tree < trees * stride; tree++) {
    spec.roots.push(spec.features.length);
    add(leaves);
  }
  return spec;
}

const shapes = fc.record({
  kinds: fc.array(fc.constantFrom({ highest: undefined }, { highest: 2 }, { highest: 5 }, { highest: 255 }), {
    minLength: 1,
    maxLength: 30,
  }),
  stride: fc.constantFrom(1, 3),
  trees: fc.integer({ min: 1, max: 25 }),
  leaves: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(64, 65, 150)),
  sum: fc.constantFrom(undefined, 'single' as const),
  hasZeros: fc.boolean(),
});

/** The scores of the same rows by walking down the trees, by the kernel's choice, and by walking down in the kernel. */
function bothWays(trees: CompiledTrees, values: Float64Array, width: number, stride: number) {
  const rows = values.length / width;
  const memory = BatchMemory.create();
  assert.ok(memory);
  const scoresOf = (add: AddScores): Float64Array => {
    const scores = new Float64Array(rows * stride);
    add(values, rows, scores);
    return scores;
  };
  const nodes = nodeTable(trees);
  return {
    walked: scoresOf(treeScores(trees, width, stride)),
    inKernel: scoresOf(kernelScores(trees, width, stride, memory)),
    byBins: nodes && scoresOf(kernelScores(trees, width, stride, memory, nodes)),
  };
}

describe('trees in a kernel', () => {
  it('give the same scores, bit for bit, as walking down each tree', () => {
    fc.assert(
      fc.property(shapes, fc.infiniteStream(fc.nat()), ({ kinds, sum, hasZeros, ...shape }, numbers) => {
        const pick = (limit: number): number => (numbers.next().value as number) % limit;
        const spec = randomTrees({ kinds, ...shape, pick });
        if (sum !== undefined) Object.assign(spec, { sum, values: spec.values.map(Math.fround) });
        if (hasZeros) spec.zeros = [...kinds.keys()].filter(() => pick(2) === 1);
        const trees = compileTrees(spec, kinds, shape.stride);
        const rows = 257 + pick(50);
        const values = Float64Array.from({ length: rows * kinds.length }, (_, i) => {
          if (pick(10) === 0) return Number.NaN;
          const highest = kinds[i % kinds.length]?.highest;
          return highest === undefined ? pick(45) / 3 : 1 + pick(highest);
        });
        const { walked, inKernel, byBins } = bothWays(trees, values, kinds.length, shape.stride);
        assert.deepEqual(inKernel, walked);
        assert.deepEqual(byBins, walked);
      }),
      { numRuns: runs(500) },
    );
  });

  it('are walked if a feature has more levels than bins have numbers', () => {
    const kinds = [{ highest: 70_000 }, { highest: undefined }];
    const { whole } = random(1);
    const pick = (limit: number): number => whole(0, limit - 1);
    const trees = compileTrees(randomTrees({ kinds, stride: 1, trees: 3, leaves: 5, pick }), kinds, 1);
    assert.equal(featureBins(trees), undefined);
    const values = Float64Array.from({ length: 600 }, (_, i) =>
      i % 2 === 0 ? 1 + pick(70_000) : pick(40) / 3,
    );
    const { walked, inKernel } = bothWays(trees, values, 2, 1);
    assert.deepEqual(inKernel, walked);
  });

  it('are walked if masks would take long: deep trees, or many that fill only a part of a word', () => {
    const kinds = [{ highest: undefined }];
    const chain = (depth: number): TreesSpec => {
      const nodes = Array.from({ length: 2 * depth + 1 }, (_, node) => node);
      const isSplit = (node: number): boolean => node % 2 === 0 && node < 2 * depth;
      return {
        kind: 'trees',
        base: [0],
        roots: [0],
        features: nodes.map(node => (isSplit(node) ? 0 : -1)),
        values: nodes.map(node => node / 7),
        right: nodes.map(node => (isSplit(node) ? node + 2 : 0)),
        missing: nodes.map(() => 0),
        sets: nodes.map(() => -1),
        levels: [],
      };
    };
    const isMasked = (spec: TreesSpec): boolean => leafMasks(compileTrees(spec, kinds, 1), 1) !== undefined;
    assert.deepEqual(
      [63, 64, 100_000].map(depth => isMasked(chain(depth))),
      [true, false, false],
    );
    const repeated = (times: number): TreesSpec => ({ ...chain(1), roots: new Array(times).fill(0) });
    assert.deepEqual(
      [8192, 8193, 1_000_000].map(times => isMasked(repeated(times))),
      [true, false, false],
    );
  });

  it('may share nodes', () => {
    const { whole } = random(2);
    const pick = (limit: number): number => whole(0, limit - 1);
    const spec = randomTrees({ kinds: [{ highest: undefined }], stride: 1, trees: 1, leaves: 100, pick });
    spec.roots.push(...spec.roots);
    const trees = compileTrees(spec, [{ highest: undefined }], 1);
    assert.equal(nodeTable(trees), undefined);
    const { walked, inKernel } = bothWays(
      trees,
      Float64Array.from({ length: 300 }, () => pick(40) / 3),
      1,
      1,
    );
    assert.deepEqual(inKernel, walked);
  });

  it('are added in their order, which matters if their leaves are large', () => {
    const leaves = [1e308, -1e308, 0, 0, 1e308, -1e308];
    const spec: TreesSpec = {
      kind: 'trees',
      base: [0],
      roots: leaves.map((_, tree) => tree),
      features: leaves.map(() => -1),
      values: leaves,
      right: leaves.map(() => 0),
      missing: leaves.map(() => 0),
      sets: leaves.map(() => -1),
      levels: [],
    };
    const trees = compileTrees(spec, [{ highest: undefined }], 1);
    const { walked, inKernel } = bothWays(trees, Float64Array.of(1), 1, 1);
    assert.deepEqual(inKernel, walked);
  });
});
