import { RowcastError } from '../base/errors.ts';
import { BatchMemory } from '../base/kernel/batch-memory.ts';
import type { RejectLimit } from '../base/options/values/reject-limit.ts';
import { sanitize } from '../base/sanitize.ts';
import { wordView } from '../formats/bytes/word-view.ts';
import { MalformedRows } from '../training/rows/malformed-rows.ts';
import type { OpenOptions } from '../training/rows/open-batches.ts';
import { openRows, type RowsFile, type RowsSoFar } from './join/file-rows.ts';
import { type JoinKeys, type KeyedRows, KeyReader } from './join/keyed-rows.ts';
import type { LabelReader } from './join/label-reader.ts';
import {
  columnIndex,
  type PredictedColumns,
  type PredictedOptions,
  predictedColumns,
} from './join/predicted-columns.ts';
import { type Groups, ScoredReader, scoredWidth } from './join/scored-reader.ts';
import { MAX_SEGMENTS } from './statistics/segment-tallies.ts';

/** Scored files, and what is needed of them. */
export interface ScoredFiles extends PredictedOptions, Omit<OpenOptions, 'choose' | 'named' | 'formats'> {
  /** Paths, URLs, or `-` for stdin; at least one. */
  scored: readonly string[];
  /** The files of the labels; none if the scored files have the column themselves. */
  labels: readonly string[];
  /** The columns of the key; empty if rows are joined in order. */
  key: readonly string[];
  /** Columns whose values are evaluated on their own. */
  by?: readonly string[] | undefined;
  /** Malformed rows that are left out. */
  maxRejects?: RejectLimit | undefined;
  /** Bytes of scored files from which on a thread reads them, as of `isReadAhead`. */
  aheadFrom?: number | undefined;
}

/** Scored rows; those of a batch are overwritten by the next. Without a key there are none of the keys. */
export interface EvaluatedBatch extends KeyedRows {
  /** For each column of `by`, the values that have a number from now on, in the order of their numbers. */
  readonly values: readonly (readonly string[])[];
  /** Rows of this batch and those before. */
  readonly read: number;
}

/** Where scored rows come from. */
export interface ScoredSource {
  /**
   * All rows, which can be read once.
   *
   * @param labels reads a column of labels to a number behind those of `ScoredReader`
   * @throws RowcastError for invalid files
   */
  batches(labels?: LabelReader): AsyncGenerator<EvaluatedBatch>;
}

/**
 * The columns that options name, if a file has them.
 *
 * @param columns those of each option
 * @throws RowcastError `no_such_column`, `ambiguous_column`
 */
export function checkedColumns(
  names: readonly string[],
  columns: Readonly<Record<string, readonly string[]>>,
  file: string,
): string[] {
  return Object.entries(columns).flatMap(([option, wanted]) => {
    for (const name of wanted) columnIndex(names, name, `--${option}`, file);
    return wanted;
  });
}

/** Reads the keys of several files, which may have their columns in another order. */
export class FileKeys {
  readonly #key: readonly string[];
  #file: RowsFile | undefined;
  #reader: KeyReader | undefined;

  /** @param key the columns; without any, no row has a key */
  constructor(key: readonly string[]) {
    this.#key = key;
  }

  read(file: RowsFile, fields: Parameters<KeyReader['read']>[0]): JoinKeys {
    if (this.#key.length === 0) return { ...NO_KEYS, rows: fields.rows };
    if (file !== this.#file || this.#reader === undefined) {
      const { names } = file.layout;
      this.#file = file;
      this.#reader = new KeyReader(this.#key.map(name => names.indexOf(name)));
    }
    return this.#reader.read(fields);
  }
}

const NONE = new Int32Array();
const NO_KEYS = { words: wordView(Buffer.alloc(0)), starts: NONE, ends: NONE, hashes: NONE };

/** Numbers the values of a column as they occur; all beyond the first ones have one number. */
class ValueNumbers implements Groups {
  readonly #numbers = new Map<string, number>();
  #hasOthers = false;
  #added: string[] = [];

  of(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (this.#hasOthers) return number;
    if (number < MAX_SEGMENTS) this.#numbers.set(value, number);
    else this.#hasOthers = true;
    this.#added.push(value);
    return number;
  }

  /** Values that were numbered since the last call. */
  added(): string[] {
    const added = this.#added;
    if (added.length > 0) this.#added = [];
    return added;
  }
}

/** Scored files, of which the first is open. */
export class ScoredRows implements ScoredSource {
  readonly predicted: PredictedColumns;
  readonly #files: ScoredFiles;
  readonly #first: RowsFile;
  readonly #read: RowsSoFar;

  private constructor(files: ScoredFiles, first: RowsFile, predicted: PredictedColumns, read: RowsSoFar) {
    this.predicted = predicted;
    this.#files = files;
    this.#first = first;
    this.#read = read;
  }

  /**
   * Opens the first file, and finds its predictions.
   *
   * @throws RowcastError `no_predictions`, `no_such_column`, `ambiguous_column`, and those of `openRecords`
   */
  static async open(files: ScoredFiles): Promise<ScoredRows> {
    const read = { rows: 0, malformed: new MalformedRows(files.maxRejects) };
    const { file, predicted } = await openScored(files, files.scored[0] ?? '', read);
    return new ScoredRows(files, file, predicted, read);
  }

  async *batches(labels?: LabelReader): AsyncGenerator<EvaluatedBatch> {
    const { by = [], key, predict, scored } = this.#files;
    const { predicted } = this;
    const memory = BatchMemory.create();
    const keys = new FileKeys(key);
    const groups = by.map(column => ({ by: column, groups: new ValueNumbers() }));
    const at = scoredWidth(predicted, by.length);
    const width = labels === undefined ? at : at + 1;
    for (const [place, name] of scored.entries()) {
      const file =
        place === 0 ? this.#first : (await openScored(this.#files, name, this.#read, predicted)).file;
      memory?.reset();
      try {
        const indexOf = (column: string): number => file.layout.names.indexOf(column);
        const reader = new ScoredReader({ predicted, indexOf, groups, memory, width });
        const labelNumbers = labels?.numbersIn(memory);
        for await (const { fields, values: numbers } of file.rows(memory, width)) {
          reader.read(fields, numbers);
          labels?.read(fields, indexOf(predict), { into: numbers, at, step: width }, labelNumbers);
          const values = groups.map(each => each.groups.added());
          const { rows, words, starts, ends, hashes } = keys.read(file, fields);
          yield { rows, words, starts, ends, hashes, numbers, values, read: this.#read.rows };
        }
      } finally {
        file.close();
      }
    }
  }

  close(): void {
    this.#first.close();
  }
}

/** Opens a scored file, and finds its predictions, unless they have the names of those of the first one. */
async function openScored(
  files: ScoredFiles,
  name: string,
  read: RowsSoFar,
  known?: PredictedColumns,
): Promise<{ file: RowsFile; predicted: PredictedColumns }> {
  const { key, by = [], predict, labels } = files;
  const own = { key, by, predict: labels.length === 0 ? [predict] : [] };
  let predicted = known;
  const choose = (names: readonly string[], file: string): string[] => {
    predicted ??= predictedColumns(names, files, file);
    if (labels.length === 0 && !names.includes(predict)) throw noLabels(predict, file);
    const { values, label } = predicted;
    const predictions = [...values, label].filter(column => column !== undefined);
    return checkedColumns(names, { ...own, classes: predictions }, file);
  };
  const file = await openRows(name, { ...files, named: [...key, ...by], choose }, read);
  return { file, predicted: predicted ?? predictedColumns(file.layout.names, files, file.name) };
}

const noLabels = (predict: string, file: string): RowcastError =>
  new RowcastError(
    'no_such_column',
    `the scored file has no column "${sanitize(predict)}" with what came true`,
    {
      location: { file },
      hint: 'Name the file that has it, and the column that says which row is whose: --labels FILE --key COLUMN.',
    },
  );
