import { numbersPerRow, type Predictions } from '../../base/contract/predictions.ts';
import type { Failure } from '../../scoring/failures/call-error.ts';
import type { ReceivedPredictions } from '../../scoring/predictions.ts';

type Errors = Predictions['errors'];

/**
 * The predictions of the rows that were sent, with those rows between them that were not, which have an error and no value.
 *
 * @param unsent index of a row among all → its error
 * @param sent number of rows that were sent
 */
export function withUnsent(
  predictions: ReceivedPredictions,
  unsent: Errors,
  sent: number,
): ReceivedPredictions {
  if (unsent.size === 0) return predictions;
  const places = placesOf(unsent, sent);
  const rows = sent + unsent.size;
  const errors = new Map(unsent);
  for (const [index, error] of predictions.errors) errors.set(places[index] ?? index, error);
  switch (predictions.kind) {
    case 'distribution': {
      const width = predictions.classes.length;
      return {
        ...predictions,
        probabilities: spread(predictions.probabilities, places, width, rows),
        errors,
      };
    }
    case 'numbers': {
      const width = numbersPerRow(predictions.names);
      return { ...predictions, values: spread(predictions.values, places, width, rows), errors };
    }
    case 'label': {
      const indices = new Int32Array(rows).fill(-1);
      for (const [index, row] of places.entries()) indices[row] = predictions.indices[index] ?? -1;
      return { ...predictions, indices, errors };
    }
  }
}

/** A failure that names rows as they were sent, with their places among all rows; -1 for one that was not sent. */
export function failedAmongAll(failure: Failure, unsent: Errors, sent: number): Failure {
  if (unsent.size === 0 || failure.rows === undefined) return failure;
  const places = placesOf(unsent, sent);
  return { ...failure, rows: failure.rows.map(fault => ({ ...fault, row: places[fault.row] ?? -1 })) };
}

/** For each row that was sent, its place among all. */
function placesOf(unsent: Errors, sent: number): number[] {
  const places: number[] = [];
  for (let row = 0; places.length < sent; row++) if (!unsent.has(row)) places.push(row);
  return places;
}

/** Puts the values of each row, `width` of them, at its place among all rows. */
function spread(values: Float64Array, places: readonly number[], width: number, rows: number): Float64Array {
  const all = new Float64Array(rows * width).fill(Number.NaN);
  for (const [index, row] of places.entries())
    all.set(values.subarray(index * width, (index + 1) * width), row * width);
  return all;
}
