import JSZip from 'jszip';

/** A model as its file describes it: one tree that splits on an amount, then on a plan. */
export function describedTrees() {
  return {
    format: 1,
    columns: [
      { name: 'amount', type: 'numerical', notation: 'point' },
      { name: 'plan', type: 'categorical', levels: ['Basic', 'Plus'], others: 'merged' },
    ] as unknown[],
    classes: ['no', 'yes'],
    predictor: {
      kind: 'trees',
      base: [0.5] as unknown[],
      roots: [0],
      features: [0, -1, 1, -1, -1],
      values: [25, -1, 0, 1, 2] as unknown[],
      right: [2, 0, 4, 0, 0],
      missing: [1, 0, 0, 0, 0],
      sets: [-1, -1, 0, -1, -1],
      levels: [[1, 3]],
    },
  };
}

/** A linear model with the same columns. */
export function describedLinear() {
  return {
    ...describedTrees(),
    predictor: {
      kind: 'linear',
      base: [0.5],
      features: [
        { kind: 'number', low: 0, high: 100, mean: 20, scale: 10, weights: [1], missing: [0] },
        { kind: 'levels', levels: [[0], [1], [2], [3]] },
      ] as { kind: string; [key: string]: unknown }[],
    },
  };
}

/**
 * One tree with this many nodes: an amount passes from node to node until the first even one that is not below it.
 *
 * @param nodes odd
 */
export function describedChain(nodes: number) {
  const described = describedTrees();
  const lists = { features: [] as number[], values: [] as number[], right: [] as number[] };
  for (let node = 0; node < nodes; node++) {
    // A node, its left child, which is a leaf, and its right child, which is the next node.
    const isLeaf = node % 2 === 1 || node === nodes - 1;
    lists.features.push(isLeaf ? -1 : 0);
    lists.values.push(isLeaf ? node / 1e6 : node);
    lists.right.push(isLeaf ? 0 : node + 2);
  }
  const [missing, sets] = [0, -1].map(value => Array<number>(nodes).fill(value));
  const predictor = { ...described.predictor, ...lists, missing, sets, levels: [] };
  return { ...described, columns: described.columns.slice(0, 1), predictor };
}

/** The bytes of a model file with this description: a value, or text as is. */
export function modelFile(description: unknown): Promise<Buffer> {
  const text = typeof description === 'string' ? description : JSON.stringify(description);
  return new JSZip()
    .file('rowcast.json', text)
    .generateAsync({ type: 'nodebuffer', compression: 'DEFLATE', compressionOptions: { level: 1 } });
}
