import { RowcastError } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';
import { BatchMemory } from '../base/kernel/batch-memory.ts';
import { countOf } from '../base/number-text.ts';
import type { RejectLimit } from '../base/options/values/reject-limit.ts';
import type { ColumnReader } from '../formats/columns/kernel-column.ts';
import type { Fields } from '../formats/records/fields.ts';
import { MalformedRows } from '../training/rows/malformed-rows.ts';
import type { OpenOptions } from '../training/rows/open-batches.ts';
import type { Evaluation } from './evaluation.ts';
import { openRows, type RowsFile, type RowsSoFar } from './join/file-rows.ts';
import { KeyJoin, type KeyProblem, LABEL_WIDTH } from './join/key-join.ts';
import { type KeyedRows, KeyReader } from './join/keyed-rows.ts';
import { LabelReader, NO_LABEL } from './join/label-reader.ts';
import {
  columnIndex,
  type PredictedColumns,
  type PredictedOptions,
  predictedColumns,
} from './join/predicted-columns.ts';
import { type Groups, rowReader, ScoredReader, scoredWidth } from './join/scored-reader.ts';
import { labelPlace, UnmatchedKeys } from './join/unmatched-keys.ts';
import { ClassTally } from './statistics/class-tally.ts';
import type { EvaluationTally, TallySize } from './statistics/evaluation-tally.ts';
import { NumberTally } from './statistics/number-tally.ts';
import { MAX_SEGMENTS, SegmentTallies } from './statistics/segment-tallies.ts';

/** Scored files, and where the labels are. */
export interface EvaluatedFiles extends PredictedOptions, Omit<OpenOptions, 'choose' | 'named'> {
  /** Paths, URLs, or `-` for stdin; at least one. */
  scored: readonly string[];
  /** Those of the labels; none if the scored files have the column themselves. */
  labels: readonly string[];
  /** How these are read, if not as the scored files are, and their column, if it is not called as what is predicted. */
  ofLabels?: Pick<OpenOptions, 'inputFormat' | 'delimiter'> & { column?: string | undefined };
  /** The columns of the key; empty if rows are joined in order. */
  key: readonly string[];
  /** Columns whose values are evaluated on their own. */
  by?: readonly string[] | undefined;
  nulls?: readonly string[] | undefined;
  /** Malformed rows that are left out. */
  maxRejects?: RejectLimit | undefined;
  /** Memory for labels; by default 128 MiB. */
  maxTableBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with what is read now. */
  onStep?: ((step: string) => void) | undefined;
}

/** What was counted of scored files and labels. */
export interface TalliedFiles {
  tally: ClassTally | NumberTally;
  segments: SegmentTallies[];
  joined: Evaluation['joined'];
  /** Labels that are no class but look like one. */
  lookalikes: ReturnType<LabelReader['lookalikes']>;
  /** The keys that are not as they should be, if rows were joined by keys. */
  unmatched: UnmatchedKeys | undefined;
}

/**
 * Joins labels to scored rows, and counts which predictions came true.
 *
 * @throws RowcastError `no_predictions`, `no_such_column`, `ambiguous_column`, `other_row_count`, and those of
 *   `openRecords` and `MalformedRows`
 * @throws Interrupted
 */
export async function tallyFiles(files: EvaluatedFiles): Promise<TalliedFiles> {
  const [first = '', ...others] = files.scored;
  const read: RowsSoFar = { rows: 0, malformed: new MalformedRows(files.maxRejects) };
  try {
    const opened = await openScored(files, first, read);
    try {
      return await new FilesTally(files, opened, others, read).tally();
    } finally {
      opened.file.close();
    }
  } catch (error) {
    // Wherever in a file the error is, nothing was written yet.
    if (error instanceof RowcastError && error.severity === 'stopped') error.severity = 'refused';
    throw error;
  }
}

/** A scored file, and which of its columns are predictions. */
interface ScoredFile {
  file: RowsFile;
  predicted: PredictedColumns;
}

/** Opens a scored file, and finds its predictions, unless they have the names of those of the first one. */
async function openScored(
  files: EvaluatedFiles,
  name: string,
  read: RowsSoFar,
  known?: PredictedColumns,
): Promise<ScoredFile> {
  const { key, by = [], predict, labels } = files;
  const own = { key, by, predict: labels.length === 0 ? [predict] : [] };
  let predicted = known;
  const choose = (names: readonly string[], file: string): string[] => {
    predicted ??= predictedColumns(names, files, file);
    const { values, label } = predicted;
    const predictions = [...values, label].filter(column => column !== undefined);
    return checkedColumns(names, { ...own, classes: predictions }, file);
  };
  const file = await openRows(name, { ...files, named: [...key, ...by], choose }, read);
  return { file, predicted: predicted ?? predictedColumns(file.layout.names, files, file.name) };
}

/** A tally for each value of a column. */
class GroupTallies implements Groups {
  readonly segments: SegmentTallies;
  /** By the number of a value. */
  readonly tallies: EvaluationTally[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(by: string, make: (size: TallySize) => ClassTally | NumberTally) {
    this.segments = new SegmentTallies(by, make);
  }

  of(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    // All values beyond the first ones are one.
    const number = this.#numbers.size;
    if (number < MAX_SEGMENTS) this.#numbers.set(value, number);
    this.tallies[number] ??= this.segments.of(value);
    return number;
  }
}

/**
 * The columns that options name, if a file has them.
 *
 * @param columns those of each option
 * @throws RowcastError `no_such_column`, `ambiguous_column`
 */
function checkedColumns(
  names: readonly string[],
  columns: Readonly<Record<string, readonly string[]>>,
  file: string,
): string[] {
  return Object.entries(columns).flatMap(([option, wanted]) => {
    for (const name of wanted) columnIndex(names, name, `--${option}`, file);
    return wanted;
  });
}

class FilesTally {
  readonly #files: EvaluatedFiles;
  readonly #first: ScoredFile;
  readonly #others: readonly string[];
  readonly #read: RowsSoFar;
  readonly #tally: ClassTally | NumberTally;
  readonly #groups: readonly GroupTallies[];
  readonly #labels: LabelReader;
  readonly #rowOf: ReturnType<typeof rowReader>;
  readonly #width: number;

  constructor(files: EvaluatedFiles, first: ScoredFile, others: readonly string[], read: RowsSoFar) {
    const { by = [], nulls = [] } = files;
    const { predicted } = first;
    const { classes, values } = predicted;
    const make = (size: TallySize): ClassTally | NumberTally =>
      classes === undefined
        ? new NumberTally({ size })
        : new ClassTally(classes, { hasProbabilities: values.length > 0, size });
    this.#files = files;
    this.#first = first;
    this.#others = others;
    this.#read = read;
    this.#tally = make('whole');
    this.#groups = by.map(column => new GroupTallies(column, make));
    this.#labels = new LabelReader(classes, nulls);
    this.#rowOf = rowReader(predicted, by.length);
    this.#width = scoredWidth(predicted, by.length);
  }

  async tally(): Promise<TalliedFiles> {
    const { labels, key } = this.#files;
    if (labels.length === 0) return this.#result('column', await this.#byColumn());
    if (key.length === 0) return this.#result('row', await this.#byRow());
    const unmatched = new UnmatchedKeys(key, labels);
    return { ...this.#result('key', await this.#byKey(unmatched)), unmatched };
  }

  #result(by: Evaluation['joined']['by'], unused: Readonly<Record<string, number>>): TalliedFiles {
    const { rows, missing } = this.#labels.counts;
    const all = Object.entries({ no_label: missing, ...unused }).filter(([, count]) => count > 0);
    return {
      tally: this.#tally,
      segments: this.#groups.map(({ segments }) => segments),
      joined: { by, key: [...this.#files.key], labels: rows, unused: Object.fromEntries(all) },
      lookalikes: this.#labels.lookalikes(),
      unmatched: undefined,
    };
  }

  async #byKey(unmatched: UnmatchedKeys): Promise<Record<string, number>> {
    const unused: Record<KeyProblem, number> = {
      conflicting_labels: 0,
      unknown_label: 0,
      not_scored: 0,
      scored_twice: 0,
      label_twice: 0,
    };
    const join = new KeyJoin({
      width: this.#width,
      maxBytes: this.#files.maxTableBytes,
      results: {
        onMatch: (label, numbers, at) => this.#add(numbers, at, label),
        onOther: (numbers, at) => this.#add(numbers, at, NO_LABEL),
        onProblem(problem, key) {
          // A label that is there again is not needed, but the first one is.
          unused[problem] += problem === 'label_twice' ? key.labelRows - 1 : key.labelRows;
          unmatched.add(problem, key);
        },
      },
    });
    const { key } = this.#files;
    try {
      const labelKeys = new FileKeys(key);
      for await (const { file, fields, numbers } of this.#labelRows()) {
        const keyed = labelKeys.read(file, fields);
        for (let row = 0; row < keyed.rows; row++)
          // A row whose label has not come yet is as if it were not there.
          if (Number.isNaN(numbers[row * LABEL_WIDTH])) keyed.ends[row] = keyed.starts[row] as number;
        join.addLabels({ ...keyed, numbers });
      }
      const scoredKeys = new FileKeys(key);
      for await (const { file, fields, numbers } of this.#scoredRows(this.#width)) {
        const keyed = scoredKeys.read(file, fields);
        unmatched.forms.addScored(keyed);
        join.addScored({ ...keyed, numbers });
      }
      join.end();
    } finally {
      join.close();
    }
    return { no_key: join.counts.labelsWithoutKey - this.#labels.counts.missing, ...unused };
  }

  async #byRow(): Promise<Record<string, number>> {
    const labelRows = this.#labelRows();
    let labels: Float64Array = new Float64Array();
    let [next, scoredRows] = [0, 0];
    try {
      for await (const { fields, numbers } of this.#scoredRows(this.#width)) {
        scoredRows += fields.rows;
        for (let row = 0, at = 0; row < fields.rows; row++, at += this.#width) {
          while (next === labels.length) {
            const { value, done } = await labelRows.next();
            if (done) break;
            labels = value.numbers;
            next = 0;
          }
          if (next === labels.length) break;
          this.#add(numbers, at, labels[next] as number);
          next += LABEL_WIDTH;
        }
      }
      // If there are more, they are counted for the message.
      while (!(await labelRows.next()).done);
    } finally {
      await labelRows.return(undefined);
    }
    const { rows, unknown } = this.#labels.counts;
    if (rows !== scoredRows) throw otherRowCount(this.#files, scoredRows, rows);
    return { unknown_label: unknown };
  }

  async #byColumn(): Promise<Record<string, number>> {
    const { predict } = this.#files;
    // The label is one more number of a row.
    const [at, step] = [this.#width, this.#width + 1];
    for await (const { file, fields, numbers, labelNumbers } of this.#scoredRows(step)) {
      const column = file.layout.names.indexOf(predict);
      this.#labels.read(fields, column, { into: numbers, at, step }, labelNumbers);
      for (let row = 0; row < fields.rows; row++)
        this.#add(numbers, row * step, numbers[row * step + at] as number);
    }
    return { unknown_label: this.#labels.counts.unknown };
  }

  /** Adds a row, whose label may be `NO_LABEL` or `UNKNOWN_LABEL`. */
  #add(numbers: Float64Array, at: number, label: number): void {
    const row = this.#rowOf(numbers, at);
    const isLabelled = Number.isFinite(label);
    if (isLabelled) this.#tally.addLabelled(row, label);
    else this.#tally.addUnlabelled(row);
    for (let index = 0; index < this.#groups.length; index++) {
      // It was made when the row was read.
      const tally = this.#groups[index]?.tallies[numbers[at + index] as number] as EvaluationTally;
      if (isLabelled) tally.addLabelled(row, label);
      else tally.addUnlabelled(row);
    }
  }

  /** The rows of all labels; the numbers of a row are those of `KeyJoin`. */
  async *#labelRows(): AsyncGenerator<FileRows> {
    const { labels, key, predict, ofLabels } = this.#files;
    const { column: labelled = predict, ...readAs } = ofLabels ?? {};
    const read: RowsSoFar = { rows: 0, malformed: new MalformedRows(this.#files.maxRejects) };
    const memory = BatchMemory.create();
    const choose = (names: readonly string[], file: string): string[] =>
      checkedColumns(names, { key, predict: [labelled] }, file);
    for (const [place, name] of labels.entries()) {
      const file = await openRows(
        name,
        { ...this.#files, ...readAs, named: [...key, labelled], choose },
        read,
      );
      memory?.reset();
      const labelNumbers = this.#labels.numbersIn(memory);
      const column = file.layout.names.indexOf(labelled);
      try {
        for await (const { fields, values: numbers, numberOf } of file.rows(memory, LABEL_WIDTH)) {
          this.#goOn('labels', read);
          this.#labels.read(fields, column, { into: numbers, at: 0, step: LABEL_WIDTH }, labelNumbers);
          for (let row = 0, at = 0; row < fields.rows; row++, at += LABEL_WIDTH) {
            numbers[at + 1] = labelPlace(place, numberOf(row));
            numbers[at + 2] = 1;
          }
          yield { file, fields, numbers };
        }
      } finally {
        file.close();
      }
    }
  }

  /** The rows of all scored files. @param width numbers of a row: those of `ScoredReader`, and more */
  async *#scoredRows(width: number): AsyncGenerator<FileRows> {
    const { predicted } = this.#first;
    const memory = BatchMemory.create();
    const groups = this.#groups.map(each => ({ by: each.segments.by, groups: each }));
    for (const [place, name] of [this.#first.file.name, ...this.#others].entries()) {
      const { file } = place === 0 ? this.#first : await openScored(this.#files, name, this.#read, predicted);
      memory?.reset();
      try {
        const indexOf = (column: string): number => file.layout.names.indexOf(column);
        const reader = new ScoredReader({ predicted, indexOf, groups, memory, width });
        const labelNumbers = width > this.#width ? this.#labels.numbersIn(memory) : undefined;
        for await (const { fields, values: numbers } of file.rows(memory, width)) {
          this.#goOn('scored rows', this.#read);
          reader.read(fields, numbers);
          yield { file, fields, numbers, labelNumbers };
        }
      } finally {
        file.close();
      }
    }
  }

  /** @throws Interrupted */
  #goOn(what: string, { rows }: RowsSoFar): void {
    const { signal, onStep } = this.#files;
    if (signal?.aborted) throw new Interrupted(signal);
    onStep?.(`reading ${what}: ${countOf(rows, 'row')}`);
  }
}

/** The well-formed rows of a batch, with their numbers in memory of the kernel. */
interface FileRows {
  file: RowsFile;
  fields: Fields;
  numbers: Float64Array;
  /** Reads the labels of a scored file, if they are numbers. */
  labelNumbers?: ColumnReader | undefined;
}

/** Reads the keys of several files, which may have their columns in another order. */
class FileKeys {
  readonly #key: readonly string[];
  #file: RowsFile | undefined;
  #reader: KeyReader | undefined;

  constructor(key: readonly string[]) {
    this.#key = key;
  }

  read(file: RowsFile, fields: Fields): Omit<KeyedRows, 'numbers'> {
    if (file !== this.#file || this.#reader === undefined) {
      const { names } = file.layout;
      this.#file = file;
      this.#reader = new KeyReader(this.#key.map(name => names.indexOf(name)));
    }
    return this.#reader.read(fields);
  }
}

function otherRowCount({ labels }: EvaluatedFiles, scored: number, rows: number): RowcastError {
  return new RowcastError(
    'other_row_count',
    `${countOf(rows, 'label')} cannot be joined in order to ${countOf(scored, 'scored row')}`,
    {
      location: { file: labels[0] ?? '' },
      hint: 'Give files with the same rows, or join them by a column of both: --key COLUMN.',
    },
  );
}
