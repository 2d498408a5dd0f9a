import type { KeyedRows } from './keyed-rows.ts';
import { CONFLICT, hashOfKey, LabelTable } from './label-table.ts';
import { PARTITIONS, PartitionedRows } from './partitioned-rows.ts';

/** Bytes of labels in memory; beyond, both sides are divided into parts by their keys, in temporary files. */
const MAX_TABLE_BYTES = 128 << 20;

/** The label of a key whose value is not a class of the model. */
export const UNKNOWN_LABEL = Number.POSITIVE_INFINITY;

/** The numbers of a row of labels: the label, where the row is, and how many rows it stands for. */
export const LABEL_WIDTH = 3;

/** Why a key is listed. */
export const keyProblems = [
  'conflicting_labels',
  'unknown_label',
  'scored_twice',
  'label_twice',
  'not_scored',
] as const;
export type KeyProblem = (typeof keyProblems)[number];

/** A key of the labels. */
export interface LabelledKey {
  /** In memory that is used again. */
  key: Buffer;
  /** Where its first label is. */
  place: number;
  labelRows: number;
  scoredRows: number;
}

/** What the join finds: each scored row once, and the keys that are not as they should be, in order part by part. */
export interface JoinResults {
  /** A scored row with its only label; its numbers begin at `at`. */
  onMatch(label: number, numbers: Float64Array, at: number): void;
  /** Any other scored row. */
  onOther(numbers: Float64Array, at: number): void;
  /** A key that is not as it should be. Only one of which all labels are the same is evaluated, `label_twice`. */
  onProblem(problem: KeyProblem, key: LabelledKey): void;
}

export interface KeyJoinOptions {
  /** Numbers of each scored row. */
  width: number;
  results: JoinResults;
  maxBytes?: number | undefined;
}

/** How many rows have no key, and how many scored ones no label. */
export interface JoinCounts {
  labelsWithoutKey: number;
  scoredWithoutKey: number;
  scoredWithoutLabel: number;
}

/**
 * Joins labels to scored rows by equal keys, in bounded memory: all labels are added, then all scored rows. A key with
 * different labels, or that was scored twice, is not evaluated, because nothing says which one is meant.
 */
export class KeyJoin {
  readonly counts: JoinCounts = { labelsWithoutKey: 0, scoredWithoutKey: 0, scoredWithoutLabel: 0 };
  readonly #options: KeyJoinOptions;
  /** How often the rows were divided. */
  readonly #level: number;
  /** Used for one part after the other. */
  readonly #memory: LabelTable;
  /** The memory, until the rows are divided. */
  #table: LabelTable | undefined;
  /** The numbers of the first scored row of each entry. */
  #scored: Float64Array | undefined;
  /** By row of a batch. */
  #entries = new Int32Array();
  #hashes = new Int32Array();
  #labelParts: PartitionedRows | undefined;
  #scoredParts: PartitionedRows | undefined;

  constructor(
    options: KeyJoinOptions,
    memory = new LabelTable(options.maxBytes ?? MAX_TABLE_BYTES, options.width),
    level = 0,
  ) {
    this.#options = options;
    this.#level = level;
    this.#memory = memory;
    this.#table = memory;
  }

  /** @throws RowcastError `disk_full`, `unwritable_output` */
  addLabels({ rows, words, starts, ends, numbers }: KeyedRows): void {
    for (let row = 0, at = 0; row < rows; row++, at += LABEL_WIDTH) {
      const start = starts[row] as number;
      const end = ends[row] as number;
      if (start === end) {
        this.counts.labelsWithoutKey++;
        continue;
      }
      const hash = hashOfKey(words, start, end);
      const table = this.#table;
      if (table !== undefined) {
        const label = numbers[at] as number;
        const place = numbers[at + 1] as number;
        if (table.add(words, start, end, hash, label, place, numbers[at + 2] as number)) continue;
        this.#divide(table);
      }
      this.#labelParts?.add(this.#partOf(hash), words, start, end, numbers, at);
    }
  }

  /** @throws as `addLabels` */
  addScored(keyed: KeyedRows): void {
    const { rows, words, starts, ends, numbers } = keyed;
    const { width, results } = this.#options;
    const table = this.#table;
    if (this.#entries.length < rows) {
      this.#entries = new Int32Array(rows);
      this.#hashes = new Int32Array(rows);
    }
    table?.findAll(keyed, this.#hashes, this.#entries);
    this.#scored ??= new Float64Array((table?.size ?? 0) * width);
    const scored = this.#scored;
    for (let row = 0, at = 0; row < rows; row++, at += width) {
      const start = starts[row] as number;
      const end = ends[row] as number;
      if (start === end) {
        this.counts.scoredWithoutKey++;
        results.onOther(numbers, at);
        continue;
      }
      if (table === undefined) {
        this.#scoredParts?.add(this.#partOf(hashOfKey(words, start, end)), words, start, end, numbers, at);
        continue;
      }
      const entry = this.#entries[row] as number;
      if (entry === -1) {
        this.counts.scoredWithoutLabel++;
        results.onOther(numbers, at);
        continue;
      }
      const before = table.scoredRows[entry] as number;
      table.scoredRows[entry] = before + 1;
      if (before > 0) {
        results.onOther(numbers, at);
        continue;
      }
      for (let index = 0, to = entry * width; index < width; index++, to++)
        scored[to] = numbers[at + index] as number;
    }
  }

  /** Gives the results, when all rows were added. @throws as `addLabels` */
  end(): void {
    const [labels, scored] = [this.#labelParts, this.#scoredParts];
    if (this.#table !== undefined) this.#settle(this.#table);
    this.#table = undefined;
    for (let part = 0; labels !== undefined && scored !== undefined && part < PARTITIONS; part++) {
      this.#memory.clear();
      const join = new KeyJoin(this.#options, this.#memory, this.#level + 1);
      try {
        for (const rows of labels.rowsOf(part)) join.addLabels(rows);
        for (const rows of scored.rowsOf(part)) join.addScored(rows);
        join.end();
        this.counts.scoredWithoutLabel += join.counts.scoredWithoutLabel;
      } finally {
        join.close();
      }
    }
  }

  /** Removes what is in temporary files. */
  close(): void {
    this.#labelParts?.close();
    this.#scoredParts?.close();
  }

  #settle(table: LabelTable): void {
    const { results, width } = this.#options;
    const scored = this.#scored ?? new Float64Array();
    for (let entry = 0; entry < table.size; entry++) {
      const label = table.labels[entry] as number;
      const labelRows = table.labelRows[entry] as number;
      const scoredRows = table.scoredRows[entry] as number;
      const problem = problemOf(label, labelRows, scoredRows);
      if (problem !== undefined) {
        const [key, place] = [table.keyOf(entry), table.places[entry] as number];
        results.onProblem(problem, { key, place, labelRows, scoredRows });
      }
      if (problem === undefined || problem === 'label_twice') results.onMatch(label, scored, entry * width);
      else if (scoredRows > 0) results.onOther(scored, entry * width);
    }
  }

  /** From now on, rows are divided into parts: first those of the table. */
  #divide(table: LabelTable): void {
    const { keys, labels, places, labelRows, size } = table;
    this.#table = undefined;
    this.#labelParts = new PartitionedRows(LABEL_WIDTH);
    this.#scoredParts = new PartitionedRows(this.#options.width);
    const numbers = new Float64Array(LABEL_WIDTH);
    for (let entry = 0; entry < size; entry++) {
      const [start, end] = [keys.starts[entry], keys.starts[entry + 1]] as [number, number];
      numbers.set([labels[entry] ?? CONFLICT, places[entry] ?? 0, labelRows[entry] ?? 0]);
      const hash = hashOfKey(keys.words, start, end);
      this.#labelParts.add(this.#partOf(hash), keys.words, start, end, numbers, 0);
    }
  }

  /** The part of a hash: of its highest bits, others at each level, because a table uses the lowest ones. */
  #partOf(hash: number): number {
    const bits = Math.log2(PARTITIONS);
    return (hash >>> (32 - bits * (this.#level + 1))) & (PARTITIONS - 1);
  }
}

function problemOf(label: number, labelRows: number, scoredRows: number): KeyProblem | undefined {
  if (Number.isNaN(label)) return 'conflicting_labels';
  if (scoredRows === 0) return 'not_scored';
  if (label === UNKNOWN_LABEL) return 'unknown_label';
  if (scoredRows > 1) return 'scored_twice';
  return labelRows > 1 ? 'label_twice' : undefined;
}
