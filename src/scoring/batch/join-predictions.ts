import { isDeepStrictEqual } from 'node:util';
import {
  type Distributions,
  numbersPerRow,
  type Predictions,
  type PredictionType,
} from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import { predictionTypeOf, type ReceivedPredictions } from '../predictions.ts';
import type { Failed, Scored, ScoredBatch } from '../scorer.ts';

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

/**
 * Checks that predictions consist of what those of earlier responses did.
 *
 * @throws RowcastError `wrong_answer`
 */
export function checkSameType(received: PredictionType, expected: PredictionType | undefined): void {
  if (expected === undefined || isDeepStrictEqual(received, expected)) return;
  const hasClasses = received.kind === 'distribution' && expected.kind === 'distribution';
  throw new RowcastError(
    'wrong_answer',
    hasClasses
      ? 'the classes in the response differ from those of earlier responses'
      : `the response has ${textOf(received)}, but earlier responses had ${textOf(expected)}`,
    {
      severity: 'stopped',
      needsRestart: true,
      hint: 'The report has changed since the run began. Start over with --restart.',
    },
  );
}

function textOf(predictionType: PredictionType): string {
  switch (predictionType.kind) {
    case 'distribution':
      return 'probabilities';
    case 'label':
      return 'labels';
    case 'numbers':
      return predictionType.names.length === 0
        ? 'a number'
        : `the numbers ${sanitize(predictionType.names.join(', '))}`;
  }
}

/** Predictions, and the index of their first persona among all that are joined. */
interface PlacedPredictions {
  predictions: Predictions;
  from: number;
}

/** Joins the values of predictions that consist of `predictionType`. A persona of none of them has no value. */
export function joinValues(
  predictionType: PredictionType,
  parts: readonly PlacedPredictions[],
  personas: number,
): Predictions {
  const errors = new Map();
  switch (predictionType.kind) {
    case 'distribution': {
      const probabilities = new Float64Array(personas * predictionType.classes.length).fill(Number.NaN);
      for (const { predictions, from } of parts)
        if (predictions.kind === 'distribution')
          probabilities.set(predictions.probabilities, from * predictionType.classes.length);
      return { ...predictionType, probabilities, errors };
    }
    case 'numbers': {
      const values = new Float64Array(personas * numbersPerRow(predictionType.names)).fill(Number.NaN);
      for (const { predictions, from } of parts)
        if (predictions.kind === 'numbers')
          values.set(predictions.values, from * numbersPerRow(predictionType.names));
      return { ...predictionType, values, errors };
    }
    case 'label': {
      const indices = new Int32Array(personas).fill(-1);
      const labels: string[] = [];
      for (const { predictions, from } of parts) {
        if (predictions.kind !== 'label') continue;
        const known = labels.length;
        labels.push(...predictions.labels);
        indices.set(
          predictions.indices.map(index => (index === -1 ? -1 : index + known)),
          from,
        );
      }
      return { ...predictionType, labels, indices, errors };
    }
  }
}
