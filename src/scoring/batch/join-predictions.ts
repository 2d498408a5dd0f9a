import type { Distributions, PredictionType } from '../../base/contract/predictions.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import { predictionTypeOf, type ReceivedPredictions } from '../predictions.ts';
import type { Failed, Scored, ScoredBatch } from '../scorer.ts';
import { checkSameType } from './check-same-type.ts';
import { joinValues, type PlacedPredictions } from './join-values.ts';

/** The predictions for an empty batch. */
export const noPredictions: ReceivedPredictions<Distributions> = {
  kind: 'distribution',
  classes: [],
  probabilities: new Float64Array(),
  errors: new Map(),
};

/** The predictions for a single persona that the service rejected. */
export function rejectedPersona({ faults, failure }: Failed): Scored {
  const { code, message, origin } = failure;
  const errors = new Map([[0, { code, message }]]);
  const origins = origin === undefined ? [] : [origin];
  return { faults, predictions: { ...noPredictions, errors, origins } };
}

/** Number of personas in a batch: its well-formed records. */
export const countPersonas = (batch: Batch, { faults }: Pick<Scored, 'faults'>): number =>
  countRows(batch) - faults.size;

/**
 * Joins the parts of a batch.
 *
 * @param parts in row order; a part without a scored persona may be of another kind
 * @throws RowcastError `wrong_answer` if the parts have predictions of different kinds, or other classes
 */
export function joinParts(parts: readonly ScoredBatch[]): Scored {
  const faults = new Map<number, Fault>();
  let records = 0;
  for (const part of parts) {
    for (const [index, fault] of part.faults) faults.set(records + index, fault);
    records += part.batch.ends.length;
  }
  return { faults, predictions: joinPredictions(parts) };
}

/** @throws RowcastError `wrong_answer` */
function joinPredictions(parts: readonly ScoredBatch[]): ReceivedPredictions {
  let predictionType: PredictionType | undefined;
  const errors = new Map<number, { code: string; message: string }>();
  const placed: PlacedPredictions[] = [];
  let personas = 0;
  for (const part of parts) {
    const { predictions } = part;
    const own = predictionTypeOf(predictions);
    if (own !== undefined) {
      checkSameType(own, predictionType);
      predictionType = own;
      placed.push({ predictions, from: personas });
    }
    for (const [index, error] of predictions.errors) errors.set(personas + index, error);
    personas += countPersonas(part.batch, part);
  }
  const joined = predictionType === undefined ? noPredictions : joinValues(predictionType, placed, personas);
  return { ...joined, errors, origins: parts.flatMap(({ predictions }) => predictions.origins ?? []) };
}
