import { kernelWasm } from './kernel-wasm.js';

/** The fields of a column, and where the numbers of its rows `[first, rows)` are written. */
type ColumnFields = [
  bytes: number,
  starts: number,
  ends: number,
  fieldStep: number,
  values: number,
  valueStep: number,
  first: number,
  rows: number,
];

/** The functions of assembly/kernel.ts, which says what they do; addresses and steps are in bytes. */
export interface Kernel {
  findFields(
    bytes: number,
    recordEnds: number,
    kinds: number,
    first: number,
    records: number,
    width: number,
    delimiter: number,
    quote: number,
    endsWithCr: number,
    starts: number,
    ends: number,
  ): number;
  readNumbers(...fields: [...ColumnFields, separator: number, powers: number]): number;
  readLevels(...fields: [...ColumnFields, table: number]): number;
  findPersonas(
    bytes: number,
    at: number,
    last: number,
    template: number,
    starts: number,
    ends: number,
    rowStep: number,
    rows: number,
  ): number;
  readonly foundTo: WebAssembly.Global;
  findMembers(
    bytes: number,
    texts: number,
    recordEnds: number,
    kinds: number,
    first: number,
    records: number,
    members: number,
    count: number,
    starts: number,
    ends: number,
    rowStep: number,
  ): number;
  readonly textsTo: WebAssembly.Global;
  appendFields(
    probabilities: number,
    classes: number,
    first: number,
    rows: number,
    openings: number,
    predicted: number,
    texts: number,
    textEnds: number,
  ): number;
  mergeRecords(
    bytes: number,
    recordEnds: number,
    kinds: number,
    from: number,
    to: number,
    row: number,
    endsWithCr: number,
    areObjects: number,
    texts: number,
    textEnds: number,
    merged: number,
  ): number;
  writeRows(
    bytes: number,
    starts: number,
    ends: number,
    rowStep: number,
    first: number,
    rows: number,
    layout: number,
    out: number,
    outBytes: number,
  ): number;
  readonly written: WebAssembly.Global;
  readonly missing: WebAssembly.Global;
  readonly unseen: WebAssembly.Global;
  hashRows(hashed: number): void;
  findKeys(table: number, keys: number, rows: number, entries: number, adds: number, kept: number): number;
  readCodes(state: number, count: number, into: number, limit: number): number;
  writeDoubles(
    values: number,
    first: number,
    rows: number,
    texts: number,
    starts: number,
    ends: number,
  ): number;
  readTable(
    text: number,
    length: number,
    place: number,
    width: number,
    delimiter: number,
    values: number,
    present: number,
    step: number,
    powers: number,
  ): void;
  writeCells(
    columns: number,
    width: number,
    first: number,
    rows: number,
    missing: number,
    missingLength: number,
    close: number,
    closeLength: number,
    out: number,
    outEnd: number,
    recordEnds: number,
  ): number;
  roundToSingle(probabilities: number, first: number, count: number, powers: number): number;
  binNumbers(
    values: number,
    step: number,
    rows: number,
    cuts: number,
    count: number,
    zero: number,
    missing: number,
    bins: number,
    others: number,
  ): void;
  binLevels(values: number, step: number, rows: number, levels: number, missing: number, bins: number): void;
  addLeaves(
    features: number,
    count: number,
    masks: number,
    leaves: number,
    words: number,
    rows: number,
    scores: number,
    step: number,
    isSingle: number,
  ): void;
  walkTrees(
    trees: number,
    count: number,
    nodes: number,
    leaves: number,
    sets: number,
    bins: number,
    open: number,
    ends: number,
    rows: number,
    scores: number,
    step: number,
    isSingle: number,
  ): void;
}

let compiled: WebAssembly.Module | undefined;

/** The functions, for arrays in this memory. */
export function kernelFor(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(kernelWasm, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return exports as Kernel; // as its source declares them
}
