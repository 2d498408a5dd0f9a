import type { ColumnReader } from '../columns/column-reader.ts';
import { readerOf } from '../columns/reader-of.ts';
import { withoutNulls } from '../columns/without-nulls.ts';
import type { Predictions } from '../contract/predictions.ts';
import { unknownColumns } from '../contract/unknown-columns.ts';
import type { Appended, AppendedOptions } from '../formats/csv/appended-columns.ts';
import type { Batch } from '../formats/csv/batch.ts';
import type { Fields } from '../formats/csv/fields/fields.ts';
import type { Layout } from '../formats/format.ts';
import type { LearnedColumn } from '../reports/model/column-encoder.ts';
import type { EngineModel } from '../reports/model/engine.ts';
import type { FeatureColumn } from '../scoring/feature-columns.ts';
import { GzipMembers } from '../scoring/merge/gzip-members.ts';
import type { MergedRecords, Scored } from '../scoring/scorer.ts';
import { checkProbabilities } from './check-probabilities.ts';

export interface RecordScorerOptions {
  layout: Layout;
  /** The columns that the model may use; it gets all others as missing values. */
  features: readonly FeatureColumn[];
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  appended: AppendedOptions;
  columns: readonly LearnedColumn[];
  /** The model's classes, in its order. */
  classes: readonly string[];
  engine: EngineModel;
}

/** Scores the records of batches by a model: from bytes to numbers, to probabilities, to bytes. */
export class RecordScorer {
  readonly #options: RecordScorerOptions;
  readonly #readFields: (batch: Batch) => Fields;
  /** By column of the model, how it is read and where it is in a record. */
  readonly #readers: readonly { reader: ColumnReader; index: number | undefined }[];
  /** Whether any of the columns is one of the model's; otherwise no row can be scored. */
  readonly #hasColumn: boolean;
  /** For each class of the output, its index among the model's; undefined if the order is the same. */
  readonly #order: Int32Array | undefined;
  readonly #appended: Appended;
  readonly #members: GzipMembers;
  readonly #withoutNulls: (fields: Fields, index: number) => void;
  #values = new Float64Array();

  constructor(options: RecordScorerOptions) {
    const { layout, features, nulls, appended, columns, classes } = options;
    this.#options = options;
    this.#readFields = layout.fieldReader();
    const places = new Map(features.map(feature => [feature.name, feature]));
    this.#readers = columns.map(column => {
      const place = places.get(column.name);
      return { reader: readerOf(column, place?.type), index: place?.index };
    });
    this.#hasColumn = this.#readers.some(({ index }) => index !== undefined);
    this.#withoutNulls = withoutNulls(nulls);
    const order = Int32Array.from(appended.classes, name => classes.indexOf(name));
    this.#order = order.every((own, i) => own === i) ? undefined : order;
    this.#appended = layout.appended(appended);
    this.#members = new GzipMembers(this.#appended.maxBytes);
  }

  /**
   * @param into memory for `merged`: for the records, and `maxBytes` of `Appended` for each; new memory if omitted
   * @returns `merged`, unless the output depends on what is before the batch
   */
  score(batch: Batch, into?: Buffer): Scored {
    const { layout, appended, engine } = this.#options;
    const { classes } = appended;
    const fields = this.#readFields(batch);
    const { rows, faults } = fields;
    const probabilities = this.#hasColumn
      ? this.#inOrder(engine.predict(this.#valuesOf(fields), rows), rows)
      : new Float64Array(rows * classes.length);
    const errors = this.#hasColumn
      ? checkProbabilities(probabilities, classes.length)
      : new Map(Array.from({ length: rows }, (_, row) => [row, unknownColumns] as const));
    const scored = { batch, faults, predictions: { classes, probabilities, errors } };
    if (layout.mayJoinLines) return { faults, predictions: scored.predictions };
    const predictions = { classes: rows === 0 ? [] : classes, probabilities: NONE, errors };
    return { faults, predictions, merged: this.#merge(scored, into) };
  }

  /** The engine cannot be used afterwards. */
  close(): void {
    this.#options.engine.unload();
  }

  #valuesOf(fields: Fields): Float64Array {
    const width = this.#readers.length;
    const size = fields.rows * width;
    if (this.#values.length < size) this.#values = new Float64Array(size);
    const values = this.#values.subarray(0, size);
    this.#readers.forEach(({ reader, index }, column) => {
      if (index === undefined) for (let at = column; at < size; at += width) values[at] = Number.NaN;
      else {
        this.#withoutNulls(fields, index);
        reader.read(fields, index, values, column, width, 0, fields.rows);
      }
    });
    return values;
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

  #merge(
    scored: { batch: Batch; faults: Scored['faults']; predictions: Predictions },
    into?: Buffer,
  ): MergedRecords {
    const { layout } = this.#options;
    const { batch } = scored;
    const merge = layout.merger(scored, this.#appended);
    const bytes = into ?? Buffer.allocUnsafe(maxMergedBytes(batch, this.#appended));
    const ends: number[] = [];
    let length = 0;
    for (const { from, to } of this.#members.partsOf(batch, layout)) {
      length += merge(from, to, undefined, bytes.subarray(length)).length;
      ends.push(length);
    }
    return { bytes: bytes.subarray(0, length), ends };
  }
}

/** Maximum size of a batch's records with the appended fields. */
export const maxMergedBytes = ({ bytes, ends }: Batch, { maxBytes }: Pick<Appended, 'maxBytes'>): number =>
  bytes.length + ends.length * maxBytes;

const NONE = new Float64Array();
