import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTree } from '../../../src/models/imported/check-tree.ts';
import type { ImportedTree } from '../../../src/models/imported/imported-model.ts';

/** A root that tests feature 0, with two leaves. */
const stump = (changes: Partial<ImportedTree> = {}): ImportedTree => ({
  score: 0,
  features: Int32Array.of(0, -1, -1),
  values: Float64Array.of(Number.POSITIVE_INFINITY, 1, 2),
  left: Int32Array.of(1, -1, -1),
  right: Int32Array.of(2, -1, -1),
  missingLeft: new Uint8Array(3),
  sets: new Map(),
  ...changes,
});

/** A tree whose left children are leaves, and whose right ones are not, but for the last. */
function chain(depth: number): ImportedTree {
  const nodes = 2 * depth + 1;
  const isCut = (node: number): boolean => node % 2 === 0 && node < nodes - 1;
  const of = (value: (node: number) => number): Int32Array =>
    Int32Array.from({ length: nodes }, (_, n) => value(n));
  return stump({
    features: of(node => (isCut(node) ? 0 : -1)),
    values: new Float64Array(nodes),
    left: of(node => (isCut(node) ? node + 1 : -1)),
    right: of(node => (isCut(node) ? node + 2 : -1)),
    missingLeft: new Uint8Array(nodes),
  });
}

describe('a tree that is imported', () => {
  const check = (tree: ImportedTree): void => checkTree(tree, 7, 1, 1);

  it('is accepted if each node is reached once', () => {
    check(stump());
    check(stump({ sets: new Map([[0, [1]]]) }));
    check(chain(1_000));
  });

  const damaged: [string, Partial<ImportedTree>, RegExp][] = [
    ['a cycle', { left: Int32Array.of(0, -1, -1) }, /node 0 is reached in two ways/],
    ['a node with two parents', { right: Int32Array.of(1, -1, -1) }, /node 1 is reached in two ways/],
    [
      'a child that does not exist',
      { right: Int32Array.of(3, -1, -1) },
      /node 0 has a child 3, but it has 3 nodes/,
    ],
    ['a child before the first', { left: Int32Array.of(-2, -1, -1) }, /node 0 has a child -2/],
    [
      'a node that is not reached',
      { features: Int32Array.of(-1, -1, -1), values: Float64Array.of(0, 1, 2) },
      /node 1 is/,
    ],
    ['a feature that does not exist', { features: Int32Array.of(1, -1, -1) }, /node 0 tests feature 1 of 1/],
    ['a leaf without a finite value', { values: Float64Array.of(0, 1, Number.NaN) }, /leaf at node 2 is NaN/],
    ['a threshold that is no number', { values: Float64Array.of(Number.NaN, 1, 2) }, /threshold of node 0/],
    ['lists of different lengths', { values: Float64Array.of(0) }, /different lengths/],
    ['zeros of another length', { zeroIsMissing: new Uint8Array(1) }, /different lengths/],
    ['a set for a leaf', { sets: new Map([[1, [0]]]) }, /leaf at node 1 has a set/],
    ['a set for no node', { sets: new Map([[3, [0]]]) }, /node 3 of 3/],
    ['no nodes', { features: new Int32Array(0) }, /no nodes/],
    ['a score that does not exist', { score: 1 }, /score 1 of 1/],
  ];
  for (const [what, changes, message] of damaged)
    it(`is refused with its number for ${what}`, () => {
      assert.throws(() => check(stump(changes)), { code: 'bad_model', message });
      assert.throws(() => check(stump(changes)), { message: /^tree 7: / });
    });

  it('is refused if it is too deep, without a stack that overflows', () => {
    assert.throws(() => check(chain(100_000)), {
      code: 'unsupported_model',
      message: /tree 7 is deeper than 1024/,
    });
  });
});
