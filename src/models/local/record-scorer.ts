import {
  classesOf,
  type Predictions,
  type PredictionType,
  sumsToOne,
  unknownColumns,
} from '../../base/contract/predictions.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type Appended, type AppendedOptions, maxMergedBytes } from '../../formats/appended.ts';
import { BatchColumns, type PlacedBatch, withoutNulls } from '../../formats/columns/batch-columns.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { readerOf } from '../../formats/columns/reader-of.ts';
import type { Layout, PredictedBatch } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Fields, Without } from '../../formats/records/fields.ts';
import { wrongNumbers } from '../../scoring/batch/check-values.ts';
import type { Counting } from '../../scoring/counting/counted-column.ts';
import { addPredictions, type Tally } from '../../scoring/counting/tally.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import { Members, type Piece } from '../../scoring/merge/members.ts';
import type { MergedRecords, Scored } from '../../scoring/scorer.ts';
import type { EngineModel } from '../model/engine.ts';
import { ModelTally, type RowRange, rowsOfParts } from './model-tally.ts';

interface RecordScorerOptions {
  layout: Layout;
  /** The columns that the model may use; it gets all others as missing values. */
  features: readonly FeatureColumn[];
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  appended: AppendedOptions;
  columns: readonly LearnedColumn[];
  /** What the model predicts, with its classes in its order. */
  prediction: PredictionType;
  engine: EngineModel;
  /** In which a kernel reads batches, and which the engine may have kept something in; without, all takes longer. */
  memory: BatchMemory | undefined;
  /** What is counted, if anything is. */
  counting?: Counting | undefined;
}

/** Rows whose columns are read one after the other: their fields and values stay in the processor's cache. */
const CHUNK_ROWS = 256;

/** Rows that are counted together, if any are. */
interface CountedRange extends RowRange {
  tally: Tally | undefined;
}

/** Scores the records of batches by a model: from bytes to numbers, to probabilities, to bytes. */
export class RecordScorer {
  readonly #options: RecordScorerOptions;
  readonly #batches: BatchColumns;
  /** By column of the model, how it is read and where it is in a record. */
  readonly #readers: readonly {
    reader: ColumnReader;
    index: number | undefined;
    /** Whether the model gets the numbers in single precision, as a data frame has them. */
    isSingle: boolean;
  }[];
  /** Whether any of the columns is one of the model's; otherwise no row can be scored. */
  readonly #hasColumn: boolean;
  /** The classes of the output, in its order; none of numbers. */
  readonly #classes: readonly string[];
  /** For each class of the output, its index among the model's; undefined if the order is the same. */
  readonly #order: Int32Array | undefined;
  readonly #merge: MergeScored;
  readonly #members: Members;
  readonly #tally: ModelTally | undefined;
  readonly #withoutNulls: (fields: Fields, index: number) => void;
  /** The indices of the columns that are sent. */
  readonly #sent: readonly number[];

  constructor(options: RecordScorerOptions) {
    const { layout, features, nulls, appended, columns, prediction, counting, memory } = options;
    this.#options = options;
    this.#batches = new BatchColumns(layout, memory);
    const places = new Map(features.map(feature => [feature.name, feature]));
    this.#readers = columns.map(column => {
      const place = places.get(column.name);
      const isSingle =
        place?.isSingle === true && column.type === 'numerical' && column.notation === 'python';
      return { reader: readerOf(column, place?.type, memory), index: place?.index, isSingle };
    });
    this.#hasColumn = this.#readers.some(({ index }) => index !== undefined);
    this.#tally = counting && new ModelTally(counting, columns);
    this.#withoutNulls = withoutNulls(nulls);
    this.#sent = features.map(({ index }) => index);
    this.#classes = classesOf(appended.predictionType);
    const classes = classesOf(prediction);
    const order = Int32Array.from(this.#classes, name => classes.indexOf(name));
    this.#order = order.every((own, i) => own === i) ? undefined : order;
    const written = layout.appended(appended);
    this.#merge = scoredMerger(layout, written, memory);
    this.#members = new Members(written.maxBytes, false, layout.groups);
  }

  /**
   * @param into memory for `merged`: for the records, and `maxBytes` of `Appended` for each; new memory if omitted
   * @returns `merged`, unless the output depends on what is before the batch
   */
  score(batch: Batch, into?: Buffer): Scored {
    const { layout, engine, prediction } = this.#options;
    const classes = this.#classes;
    const isDistribution = prediction.kind === 'distribution';
    const placed = this.#batches.place(batch, this.#readers.length);
    const { fields } = placed;
    const { rows, faults } = fields;
    const parts = [...this.#members.piecesOf(batch, layout)];
    const counting = this.#beginCounting(batch, faults, parts);
    const unsent = [...(fields.rowsWithout?.(this.#sent) ?? [])];
    const numbers = this.#hasColumn
      ? this.#inOrder(engine.predict(this.#valuesOf(placed, counting, unsent), rows), rows)
      : new Float64Array(rows * engine.width);
    const errors = this.#hasColumn
      ? new Map(wrongPredictions(numbers, prediction))
      : new Map<number, { code: string; message: string }>(
          Array.from({ length: rows }, (_, row) => [row, unknownColumns] as const),
        );
    for (const [row, why] of unsent) errors.set(row, why);
    const predictions = isDistribution
      ? ({ kind: 'distribution', classes, probabilities: numbers, errors } as const)
      : ({
          kind: 'numbers',
          names: prediction.kind === 'numbers' ? prediction.names : [],
          values: numbers,
          errors,
        } as const);
    const scored = { batch, faults, predictions };
    if (this.#tally?.layout.isDetailed)
      for (const { tally, from, to } of counting)
        if (tally !== undefined) addPredictions(tally, predictions, from, to);
    const tallies = counting.flatMap(({ tally }) => tally ?? []);
    const counts = this.#tally === undefined ? {} : { tallies };
    if (layout.mayJoinLines) return { faults, predictions, ...counts };
    const merged = this.#merge(scored, fields, parts, into);
    const without = isDistribution
      ? ({ kind: 'distribution', classes: rows === 0 ? [] : classes, probabilities: NONE, errors } as const)
      : ({ ...predictions, values: NONE } as const);
    return { faults, predictions: without, merged, ...counts };
  }

  /** The engine cannot be used afterwards. */
  close(): void {
    this.#options.engine.unload();
  }

  #beginCounting(batch: Batch, faults: Fields['faults'], parts: readonly Piece[]): CountedRange[] {
    return rowsOfParts(batch, faults, parts).map(range => ({
      ...range,
      tally: this.#tally?.layout.newTally(),
    }));
  }

  /** @param without rows that are rejected, whose values are not counted */
  #valuesOf(
    { fields, values }: PlacedBatch,
    ranges: readonly CountedRange[],
    without: readonly (readonly [row: number, why: Without])[],
  ): Float64Array {
    const width = this.#readers.length;
    for (const [column, { index }] of this.#readers.entries())
      if (index === undefined) for (let at = column; at < values.length; at += width) values[at] = Number.NaN;
      else this.#withoutNulls(fields, index);
    for (const range of ranges) {
      const isDetailed = this.#tally?.layout.isDetailed ?? false;
      const rows = isDetailed ? CHUNK_ROWS : fields.rows;
      for (let from = range.from; from < range.to; from += rows)
        this.#readRows(
          fields,
          values,
          { from, to: Math.min(from + rows, range.to) },
          isDetailed ? range.tally : undefined,
        );
      if (range.tally === undefined) continue;
      this.#tally?.addUnrecognized(range.tally, this.#readers);
      const rejected = without.filter(([row]) => row >= range.from && row < range.to).length;
      if (rejected > 0) this.#tally?.layout.leaveOut(range.tally, rejected);
    }
    return values;
  }

  #readRows(fields: Fields, values: Float64Array, { from, to }: RowRange, tally: Tally | undefined): void {
    const step = this.#readers.length;
    for (const [at, { reader, index, isSingle }] of this.#readers.entries()) {
      if (index === undefined) continue;
      reader.read(fields, index, values, at, step, from, to);
      if (isSingle) toSingles(values, at + from * step, step, to - from);
      if (tally !== undefined) this.#tally?.addValues(tally, at, values, { at, step, from, to });
    }
  }

  #inOrder(probabilities: Float64Array, rows: number): Float64Array {
    const order = this.#order;
    if (order === undefined) return probabilities;
    const classes = order.length;
    const ordered = new Float64Array(probabilities.length);
    for (let at = 0; at < rows * classes; at += classes)
      for (let i = 0; i < classes; i++)
        ordered[at + i] = probabilities[at + (order[i] as number)] ?? Number.NaN;
    return ordered;
  }
}

function toSingles(values: Float64Array, first: number, step: number, rows: number): void {
  for (let at = first, row = 0; row < rows; at += step, row++) values[at] = Math.fround(values[at] as number);
}

const NONE = new Float64Array();

/** Why rows have no usable prediction: probabilities must sum to 1, and numbers must be finite. */
export const wrongPredictions = (numbers: Float64Array, prediction: PredictionType): Predictions['errors'] =>
  prediction.kind === 'numbers'
    ? wrongNumbers({ ...prediction, values: numbers, errors: new Map() })
    : wrongProbabilities(numbers, classesOf(prediction).length);

/** Checks probabilities, `classes` per row: a row with invalid ones gets an error. */
function wrongProbabilities(probabilities: Float64Array, classes: number): Predictions['errors'] {
  const errors = new Map<number, { code: string; message: string }>();
  for (let at = 0; at < probabilities.length; at += classes) {
    let sum = 0;
    let isValid = true;
    for (let i = at; i < at + classes; i++) {
      const probability = probabilities[i] as number;
      sum += probability;
      if (!(probability >= 0 && probability <= 1)) isValid = false;
    }
    if (isValid && sumsToOne(sum, classes)) continue;
    errors.set(at / classes, {
      code: 'wrong_probabilities',
      message: `invalid probabilities: ${probabilities.subarray(at, at + classes).join(', ')}`,
    });
  }
  return errors;
}

type MergeScored = (
  scored: PredictedBatch,
  fields: Fields,
  parts: readonly Piece[],
  into: Buffer | undefined,
) => MergedRecords;

/** Returns a function that merges batches with their predictions: see `RecordScorer.score`. */
function scoredMerger(layout: Layout, appended: Appended, memory: BatchMemory | undefined): MergeScored {
  const merger = layout.merger(appended, memory);
  return (scored, fields, parts, into) => {
    const merge = merger(scored, fields);
    const { bytes: read, ends: records } = scored.batch;
    const bytes = into ?? Buffer.allocUnsafe(maxMergedBytes(read.length, records.length, appended));
    const ends: number[] = [];
    let length = 0;
    for (const { from, to } of parts) {
      length += merge(from, to, undefined, bytes.subarray(length)).length;
      ends.push(length);
    }
    return { bytes: bytes.subarray(0, length), ends };
  };
}
