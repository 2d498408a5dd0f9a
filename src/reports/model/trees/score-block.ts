import { scoreBlockWasm } from './score-block-wasm.ts';

/** The functions of assembly/score-block.ts; addresses and steps are in bytes. */
export interface BlockScorer {
  binNumbers(
    values: number,
    step: number,
    rows: number,
    cuts: number,
    count: number,
    missing: number,
    bins: number,
  ): void;
  binLevels(values: number, step: number, rows: number, levels: number, missing: number, bins: number): void;
  setIndexes(features: number, rows: number, indexes: number): void;
  addEntries(
    features: number,
    rows: number,
    indexes: number,
    entries: number,
    scores: number,
    step: number,
  ): void;
  addTree(
    nodes: number,
    bits: number,
    leaves: number,
    root: number,
    depth: number,
    bins: number,
    scores: number,
    step: number,
    rows: number,
  ): void;
}

let compiled: WebAssembly.Module | undefined;

/** The functions, for arrays in this memory. */
export function blockScorer(memory: WebAssembly.Memory): BlockScorer {
  compiled ??= new WebAssembly.Module(Buffer.from(scoreBlockWasm, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return exports as BlockScorer; // as its source declares them
}
