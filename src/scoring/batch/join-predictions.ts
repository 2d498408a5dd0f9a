import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { ReceivedPredictions } from '../predictions.ts';
import type { Failed, Scored, ScoredBatch } from '../scorer.ts';

/** The predictions for an empty batch. */
export const noPredictions: ReceivedPredictions = {
  classes: [],
  probabilities: new Float64Array(),
  errors: new Map(),
};

/** The predictions for a single persona that the service rejected. */
export function rejectedPersona({ faults, failure }: Failed): Scored {
  const { code, message, origin } = failure;
  const errors = new Map([[0, { code, message }]]);
  const origins = origin === undefined ? [] : [origin];
  return { faults, predictions: { classes: [], probabilities: new Float64Array(), errors, origins } };
}

/** Number of personas in a batch: its well-formed records. */
export const countPersonas = (batch: Batch, { faults }: Pick<Scored, 'faults'>): number =>
  countRows(batch) - faults.size;

/**
 * Joins the parts of a batch.
 *
 * @param parts in row order; a part without a scored persona may have no classes
 * @throws RowcastError `wrong_answer` if the parts have different classes
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

function joinPredictions(parts: readonly ScoredBatch[]): ReceivedPredictions {
  const classes = parts.find(({ predictions }) => predictions.classes.length > 0)?.predictions.classes ?? [];
  const personas = parts.reduce((sum, part) => sum + countPersonas(part.batch, part), 0);
  const probabilities = new Float64Array(personas * classes.length).fill(Number.NaN);
  const errors = new Map<number, { code: string; message: string }>();
  let before = 0;
  for (const part of parts) {
    const { predictions } = part;
    if (predictions.classes.length > 0 && !isDeepStrictEqual(predictions.classes, classes))
      throw classesChanged();
    probabilities.set(predictions.probabilities, before * classes.length);
    for (const [index, error] of predictions.errors) errors.set(before + index, error);
    before += countPersonas(part.batch, part);
  }
  return {
    classes,
    probabilities,
    errors,
    origins: parts.flatMap(({ predictions }) => predictions.origins ?? []),
  };
}

export function classesChanged(): RowcastError {
  return new RowcastError(
    'wrong_answer',
    'the classes in the response differ from those of earlier responses',
    {
      severity: 'stopped',
      needsRestart: true,
      hint: 'The report has changed since the run began. Start over with --restart.',
    },
  );
}
