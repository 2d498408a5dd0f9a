import { type Predictions, sumsToOne } from '../../contract/predictions.ts';
import type { Batch } from '../../formats/csv/batch.ts';
import type { Dialect } from '../../formats/csv/dialect.ts';
import { FieldReader, textOf } from '../../formats/csv/field-reader.ts';
import { encoderOf } from '../../reports/model/column-encoder.ts';
import type { Model } from '../../reports/model/model-file.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import type { ScoredBatch } from '../../scoring/in-flight.ts';
import { noPredictions } from '../../scoring/join-predictions.ts';

export interface LocalOptions {
  model: Model;
  /** The model's columns, and where they are in a record. */
  sent: readonly FeatureColumn[];
  /** Fields that a record of the upload has. */
  width: number;
  dialect: Dialect;
}

/**
 * The stage in the place of a call, for a service that has the model itself: a batch to its answer. A field means
 * what it means in a call (`scoring/encode.ts`), without being written as JSON and read again.
 */
export function localPredictions({
  model,
  sent,
  width,
  dialect,
}: LocalOptions): (batch: Batch) => ScoredBatch {
  const indexes = new Map(sent.map(({ name, index }) => [name, index]));
  const readers = model.columns.map(column => ({
    index: indexes.get(column.name),
    encode: encoderOf(column),
  }));
  const fieldReader = new FieldReader(width, dialect);
  return batch => {
    const fields = fieldReader.read(batch);
    const { rows, faults } = fields;
    if (rows === 0) return { batch, faults, predictions: noPredictions };
    const columns = readers.map(({ index, encode }) =>
      Array.from({ length: rows }, (_, row) =>
        index === undefined ? null : encode(textOf(fields, row, index)),
      ),
    );
    const answer = checked(model.classes, model.engine.predict(columns));
    return { batch, faults, predictions: answer };
  };
}

/** Probabilities as an answer: a row whose own are none has an error (G4). */
export function checked(classes: readonly string[], probabilities: Float64Array): Predictions {
  const errors = new Map<number, { code: string; message: string }>();
  for (let at = 0; at < probabilities.length; at += classes.length) {
    const own = probabilities.subarray(at, at + classes.length);
    const sum = own.reduce((total, probability) => total + probability, 0);
    if (own.every(probability => probability >= 0 && probability <= 1) && sumsToOne(sum, classes.length))
      continue;
    errors.set(at / classes.length, {
      code: 'wrong_probabilities',
      message: `the probabilities are ${own.join(', ')}`,
    });
  }
  return { classes, probabilities, errors };
}
