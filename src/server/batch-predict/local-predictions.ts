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
  /** The model's columns, and their indexes in a record. */
  sent: readonly FeatureColumn[];
  /** Fields of a record. */
  width: number;
  dialect: Dialect;
}

/**
 * Replaces the request stage of scoring inside the service: predicts batches with a local model. Fields are interpreted
 * exactly as in a request (`scoring/encode.ts`), without going through JSON.
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

/** Checks probabilities: a row with invalid ones gets an error. */
export function checked(classes: readonly string[], probabilities: Float64Array): Predictions {
  const errors = new Map<number, { code: string; message: string }>();
  for (let at = 0; at < probabilities.length; at += classes.length) {
    const own = probabilities.subarray(at, at + classes.length);
    const sum = own.reduce((total, probability) => total + probability, 0);
    if (own.every(probability => probability >= 0 && probability <= 1) && sumsToOne(sum, classes.length))
      continue;
    errors.set(at / classes.length, {
      code: 'wrong_probabilities',
      message: `invalid probabilities: ${own.join(', ')}`,
    });
  }
  return { classes, probabilities, errors };
}
