import { type FeatureKind, type TreesSpec, ZERO } from '../predictor-spec.ts';

/** Validated trees in typed arrays: every traversal ends and uses only existing features and sets. */
export interface CompiledTrees {
  kind: 'trees';
  base: Float64Array;
  roots: Int32Array;
  /** By tree, the score that it adds to. */
  scores: Int32Array;
  /** By node, like the lists of a `TreesSpec`. */
  features: Int32Array;
  cuts: Float64Array;
  right: Int32Array;
  missing: Uint8Array;
  sets: Int32Array;
  /** The bits of all sets: that of level i of set s is bit i modulo 32 of word `setStarts[s] + (i >> 5)`. */
  members: Int32Array;
  /** By set, its first word; then the end. A set has a bit for each level of the features that are tested with it. */
  setStarts: Int32Array;
  /** By feature, its highest level; -1 for numbers. */
  highest: Int32Array;
  /** By feature, the size up to which a number counts as missing; -1 if none does. */
  zeros: Float64Array;
  /** The mean depth of all leaves. */
  depth: number;
  /** Whether each sum is rounded to single precision. */
  isSingle: boolean;
}

/** Whether a level is in a set. */
export const isInSet = ({ members, setStarts }: CompiledTrees, set: number, level: number): boolean =>
  (((members[(setStarts[set] as number) + (level >> 5)] as number) >>> (level & 31)) & 1) === 1;

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
  const zeros = new Float64Array(features.length).fill(-1);
  for (const feature of spec.zeros ?? []) zeros[feature] = ZERO;
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
    members: new Int32Array(),
    setStarts: new Int32Array(),
    highest: Int32Array.from(features, kind => kind.highest ?? -1),
    zeros,
    depth: 0,
    isSingle: spec.sum === 'single',
  };
  checkNodes(compiled, features, spec.levels.length);
  return { ...compiled, ...membersOf(compiled, spec.levels), depth: meanDepth(compiled) };
}

/** The sets as bits. @throws Error for a level that the features which are tested with its set do not have */
function membersOf(
  { features, sets, highest }: CompiledTrees,
  levels: TreesSpec['levels'],
): Pick<CompiledTrees, 'members' | 'setStarts'> {
  const most = new Int32Array(levels.length);
  sets.forEach((set, node) => {
    if (set >= 0) most[set] = Math.max(most[set] as number, highest[features[node] as number] as number);
  });
  const setStarts = new Int32Array(levels.length + 1);
  most.forEach((level, set) => {
    setStarts[set + 1] = (setStarts[set] as number) + (level >> 5) + 1;
  });
  const members = new Int32Array(setStarts[levels.length] as number);
  levels.forEach((own, set) => {
    for (const level of own) {
      if (level > (most[set] as number))
        throw new Error(`set ${set} of its levels contains level ${level}, which does not exist`);
      const word = (setStarts[set] as number) + (level >> 5);
      members[word] = (members[word] as number) | (1 << (level & 31));
    }
  });
  return { members, setStarts };
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
