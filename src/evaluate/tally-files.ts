import { RowcastError } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';
import { BatchMemory } from '../base/kernel/batch-memory.ts';
import { countOf } from '../base/number-text.ts';
import type { Fields } from '../formats/records/fields.ts';
import { MalformedRows } from '../training/rows/malformed-rows.ts';
import type { OpenOptions } from '../training/rows/open-batches.ts';
import type { Evaluation } from './evaluation.ts';
import { openRows, type RowsFile, type RowsSoFar } from './join/file-rows.ts';
import { KeyJoin, type KeyProblem } from './join/key-join.ts';
import { LabelReader, NO_LABEL } from './join/label-reader.ts';
import { LABEL_WIDTH } from './join/label-table.ts';
import type { PredictedColumns } from './join/predicted-columns.ts';
import { rowReader, scoredWidth } from './join/scored-reader.ts';
import { labelPlace, UnmatchedKeys } from './join/unmatched-keys.ts';
import { isReadAhead, ScoredAhead } from './scored-ahead.ts';
import {
  checkedColumns,
  type EvaluatedBatch,
  FileKeys,
  type ScoredFiles,
  ScoredRows,
  type ScoredSource,
} from './scored-rows.ts';
import { ClassTally } from './statistics/class-tally.ts';
import type { EvaluationTally, TallySize } from './statistics/evaluation-tally.ts';
import { NumberTally } from './statistics/number-tally.ts';
import { SegmentTallies } from './statistics/segment-tallies.ts';

/** Scored files, and where the labels are. */
export interface EvaluatedFiles extends ScoredFiles {
  /** How these are read, if not as the scored files are, and their column, if it is not called as what is predicted. */
  ofLabels?: Pick<OpenOptions, 'inputFormat' | 'delimiter'> & { column?: string | undefined };
  nulls?: readonly string[] | undefined;
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
  const { signal, onStep: _onStep, ...posted } = files;
  const ahead = (await isReadAhead(files)) ? new ScoredAhead(posted, signal) : undefined;
  try {
    // The columns are needed here, too.
    const here = await ScoredRows.open(files);
    try {
      return await new FilesTally(files, here.predicted, ahead ?? here).tally();
    } finally {
      here.close();
    }
  } catch (error) {
    // Wherever in a file the error is, nothing was written yet.
    if (error instanceof RowcastError && error.severity === 'stopped') error.severity = 'refused';
    throw error;
  } finally {
    await ahead?.close();
  }
}

/** The rows of each value of a column. */
interface Segments {
  segments: SegmentTallies;
  /** By the number of a value. */
  tallies: EvaluationTally[];
}

class FilesTally {
  readonly #files: EvaluatedFiles;
  readonly #scored: ScoredSource;
  readonly #tally: ClassTally | NumberTally;
  readonly #groups: readonly Segments[];
  readonly #labels: LabelReader;
  readonly #rowOf: ReturnType<typeof rowReader>;
  readonly #width: number;

  constructor(files: EvaluatedFiles, predicted: PredictedColumns, scored: ScoredSource) {
    const { by = [], nulls = [] } = files;
    const { classes, values } = predicted;
    const make = (size: TallySize): ClassTally | NumberTally =>
      classes === undefined
        ? new NumberTally({ size })
        : new ClassTally(classes, { hasProbabilities: values.length > 0, size });
    this.#files = files;
    this.#scored = scored;
    this.#tally = make('whole');
    this.#groups = by.map(column => ({ segments: new SegmentTallies(column, make), tallies: [] }));
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
        const { rows, words, starts, ends, hashes } = labelKeys.read(file, fields);
        for (let row = 0; row < rows; row++)
          // A row whose label has not come yet is as if it were not there.
          if (Number.isNaN(numbers[row * LABEL_WIDTH])) ends[row] = starts[row] as number;
        join.addLabels({ rows, words, starts, ends, hashes, numbers });
      }
      for await (const batch of this.#scoredRows()) {
        unmatched.forms.addScored(batch);
        join.addScored(batch);
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
      for await (const { rows, numbers } of this.#scoredRows()) {
        scoredRows += rows;
        for (let row = 0, at = 0; row < rows; row++, at += this.#width) {
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
    // The label is one more number of a row.
    const step = this.#width + 1;
    for await (const { rows, numbers } of this.#scoredRows(this.#labels))
      for (let row = 0, at = 0; row < rows; row++, at += step)
        this.#add(numbers, at, numbers[at + this.#width] as number);
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
  async *#labelRows(): AsyncGenerator<LabelRows> {
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
          this.#goOn('labels', read.rows);
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

  /** The rows of all scored files. @param labels as of `ScoredSource` */
  async *#scoredRows(labels?: LabelReader): AsyncGenerator<EvaluatedBatch> {
    for await (const batch of this.#scored.batches(labels)) {
      this.#goOn('scored rows', batch.read);
      for (const [index, { segments, tallies }] of this.#groups.entries())
        for (const value of batch.values[index] ?? []) tallies.push(segments.of(value));
      yield batch;
    }
  }

  /** @throws Interrupted */
  #goOn(what: string, rows: number): void {
    const { signal, onStep } = this.#files;
    if (signal?.aborted) throw new Interrupted(signal);
    onStep?.(`reading ${what}: ${countOf(rows, 'row')}`);
  }
}

/** The well-formed rows of a batch of labels, with their numbers in memory of the kernel. */
interface LabelRows {
  file: RowsFile;
  fields: Fields;
  numbers: Float64Array;
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
