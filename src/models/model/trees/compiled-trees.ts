import type { FeatureKind, TreesSpec } from '../predictor-spec.ts';

/** Validated trees in typed arrays: every traversal ends and uses only existing features and sets. */
export interface CompiledTrees {
  kind: 'trees';
  base: Float64Array;
  roots: Int32Array;
  /** By tree, the score that it adds to. */
  scores: Int32Array;
  /** By node, like the lists of a `TreesSpec`; the values of leaves are rounded by `exactSums`. */
  features: Int32Array;
  cuts: Float64Array;
  right: Int32Array;
  missing: Uint8Array;
  sets: Int32Array;
  /** Set by set, `setSize` bytes each: 1 for the levels in it. */
  members: Uint8Array;
  setSize: number;
  /** By feature, its highest level; -1 for numbers. */
  highest: Int32Array;
  /** The mean depth of all leaves. */
  depth: number;
  /** Whether leaves can be added up in any order. */
  isExact: boolean;
}

/**
 * @param features the features that the trees may use
 * @param stride the number of scores
 * @throws Error for cyclic trees, or unknown features or sets
 */
export function compileTrees(
  spec: TreesSpec,
  features: readonly FeatureKind[],
  stride: number,
): CompiledTrees {
  checkLengths(spec, stride);
  const setSize = 1 + Math.max(0, ...features.map(kind => kind.highest ?? 0));
  const compiled: CompiledTrees = {
    kind: 'trees',
    base: Float64Array.from(spec.base),
    roots: Int32Array.from(spec.roots),
    scores: Int32Array.from(spec.roots, (_, tree) => tree % stride),
    features: Int32Array.from(spec.features),
    cuts: Float64Array.from(spec.values),
    right: Int32Array.from(spec.right),
    missing: Uint8Array.from(spec.missing),
    sets: Int32Array.from(spec.sets),
    members: new Uint8Array(setSize * spec.levels.length),
    setSize,
    highest: Int32Array.from(features, kind => kind.highest ?? -1),
    depth: 0,
    isExact: true,
  };
  spec.levels.forEach((levels, set) => {
    for (const level of levels) {
      if (level >= setSize)
        throw new Error(`set ${set} of its levels contains level ${level}, which does not exist`);
      compiled.members[set * setSize + level] = 1;
    }
  });
  checkNodes(compiled, features, spec.levels.length);
  const isExact = makeExact(compiled);
  return { ...compiled, isExact, depth: meanDepth(compiled) };
}

/** Rounds the leaves and the base so that their sums are exact: see `exactSums`. @returns whether they are now */
function makeExact({ base, roots, features, cuts }: CompiledTrees): boolean {
  const largest = (values: Float64Array) =>
    values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const leaves = cuts.filter((_, node) => features[node] === -1);
  const round = exactSums(largest(base) + roots.length * largest(leaves));
  if (round === undefined) return false;
  base.forEach((value, i) => {
    base[i] = round(value);
  });
  features.forEach((feature, node) => {
    if (feature === -1) cuts[node] = round(cuts[node] as number);
  });
  return true;
}

function checkLengths({ roots, features, values, right, missing, sets, base }: TreesSpec, stride: number) {
  const isWhole = [values, right, missing, sets].every(list => list.length === features.length);
  if (!isWhole || base.length !== stride || roots.length % stride !== 0)
    throw new Error('the lists of its trees differ in length');
}

/** Checks that children come after their parents and within the list, so every traversal ends at a leaf. */
function checkNodes(
  { roots, features, right, sets }: CompiledTrees,
  kinds: readonly FeatureKind[],
  setCount: number,
): void {
  const nodes = features.length;
  if (!roots.every(root => root < nodes)) throw new Error('a tree starts outside the list of nodes');
  for (let node = 0; node < nodes; node++) {
    const feature = features[node] as number; // within the lists, which have the same length
    if (feature === -1) continue;
    const [next, set] = [right[node] as number, sets[node] as number];
    if (next <= node + 1 || next >= nodes)
      throw new Error(`node ${node} of its trees goes to node ${next}, which does not come after it`);
    const kind = kinds[feature];
    if (kind === undefined) throw new Error(`node ${node} of its trees uses feature ${feature}`);
    if ((kind.highest !== undefined) !== set >= 0 || set >= setCount)
      throw new Error(`node ${node} of its trees tests feature ${feature} with set ${set}`);
  }
}

function meanDepth({ features, right }: CompiledTrees): number {
  const depths = new Int32Array(features.length);
  let [leaves, sum] = [0, 0];
  features.forEach((feature, node) => {
    const own = depths[node] as number;
    if (feature === -1) {
      leaves++;
      sum += own;
      return;
    }
    depths[node + 1] = own + 1;
    depths[right[node] as number] = own + 1;
  });
  return leaves === 0 ? 0 : sum / leaves;
}

/** A double's significand has 53 bits; the rest is room for the sum of all rounded values. */
const SUM_BITS = 50;

/**
 * Rounds numbers to multiples of one power of two, small enough to change a sum by less than 2^-40 of its largest
 * possible size, and large enough that every sum of some of them is exact, in any order. Trees may then be added up in
 * the order that is fastest, and a row gets the same score, bit for bit, however it is computed.
 *
 * @param bound at least the largest absolute value of any sum
 * @returns the function that rounds a number; undefined for absurd numbers, such as no model has: their sums are not
 *   exact
 */
function exactSums(bound: number): ((value: number) => number) | undefined {
  const grid = 2 ** (Math.ceil(Math.log2(bound)) - SUM_BITS);
  if (!(Number.isFinite(1 / grid) && Number.isFinite(grid) && grid > 0)) return undefined;
  return value => Math.round(value / grid) * grid;
}
