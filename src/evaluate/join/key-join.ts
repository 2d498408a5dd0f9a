import { hashOfKey, type KeyedRows } from './keyed-rows.ts';
import { LABEL_WIDTH, LabelTable } from './label-table.ts';
import { PARTITIONS, PartitionedRows } from './partitioned-rows.ts';

/** Bytes of labels in memory; beyond, both sides are divided into parts by their keys, in temporary files. */
const MAX_TABLE_BYTES = 128 << 20;

/** The label of a key whose value is not a class of the model. */
export const UNKNOWN_LABEL = Number.POSITIVE_INFINITY;

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
  /** By row of a batch. */
  #entries = new Int32Array();
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
  addLabels(keyed: KeyedRows): void {
    const { rows, words, starts, ends, hashes, numbers } = keyed;
    this.#table?.fetch(keyed);
    for (let row = 0, at = 0; row < rows; row++, at += LABEL_WIDTH) {
      const start = starts[row] as number;
      const end = ends[row] as number;
      if (start === end) {
        this.counts.labelsWithoutKey++;
        continue;
      }
      const hash = hashes[row] as number;
      const table = this.#table;
      if (table !== undefined) {
        if (table.add(words, start, end, hash, numbers, at)) continue;
        this.#divide(table);
      }
      this.#labelParts?.add(this.#partOf(hash), words, start, end, numbers, at);
    }
  }

  /** @throws as `addLabels` */
  addScored(keyed: KeyedRows): void {
    const { rows, starts, ends, numbers } = keyed;
    const { width, results } = this.#options;
    const table = this.#table;
    if (table === undefined) {
      this.#divideScored(keyed);
      return;
    }
    if (this.#entries.length < rows) this.#entries = new Int32Array(rows);
    const entries = this.#entries;
    table.findAll(keyed, entries);
    for (let row = 0, at = 0; row < rows; row++, at += width) {
      const entry = entries[row] as number;
      if (entry !== -1 && table.addScored(entry, numbers, at)) continue;
      if (entry === -1) {
        if (starts[row] === ends[row]) this.counts.scoredWithoutKey++;
        else this.counts.scoredWithoutLabel++;
      }
      results.onOther(numbers, at);
    }
  }

  #divideScored({ rows, words, starts, ends, hashes, numbers }: KeyedRows): void {
    const { width, results } = this.#options;
    for (let row = 0, at = 0; row < rows; row++, at += width) {
      const start = starts[row] as number;
      const end = ends[row] as number;
      if (start === end) {
        this.counts.scoredWithoutKey++;
        results.onOther(numbers, at);
      } else this.#scoredParts?.add(this.#partOf(hashes[row] as number), words, start, end, numbers, at);
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
    const { results } = this.#options;
    const { numbers, words } = table;
    for (let entry = 0; entry < table.end; entry = table.next(entry)) {
      const at = table.labelAt(entry);
      const [label, labelRows] = [numbers[at] as number, numbers[at + 2] as number];
      const scoredRows = table.scoredRows(entry);
      const problem = problemOf(label, labelRows, scoredRows);
      if (problem !== undefined) {
        const { start, stop } = table.keyAt(entry);
        const key = words.bytes.subarray(start, stop);
        results.onProblem(problem, { key, place: numbers[at + 1] as number, labelRows, scoredRows });
      }
      if (problem === undefined || problem === 'label_twice')
        results.onMatch(label, numbers, table.scoredAt(entry));
      else if (scoredRows > 0) results.onOther(numbers, table.scoredAt(entry));
    }
  }

  /** From now on, rows are divided into parts: first those of the table. */
  #divide(table: LabelTable): void {
    const { words, numbers } = table;
    this.#table = undefined;
    this.#labelParts = new PartitionedRows(LABEL_WIDTH);
    this.#scoredParts = new PartitionedRows(this.#options.width);
    for (let entry = 0; entry < table.end; entry = table.next(entry)) {
      const { start, stop } = table.keyAt(entry);
      const part = this.#partOf(hashOfKey(words, start, stop));
      this.#labelParts.add(part, words, start, stop, numbers, table.labelAt(entry));
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
