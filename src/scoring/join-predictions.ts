import { isDeepStrictEqual } from 'node:util';
import type { CallError } from '../client/failures.ts';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { RowcastError } from '../errors.ts';

/** The predictions for an empty batch. */
export const noPredictions: ReceivedPredictions = {
  classes: [],
  probabilities: new Float64Array(),
  errors: new Map(),
};

/** The predictions for a single persona that the service rejected. */
export function rejectedPersona({ code, message, origin }: CallError): ReceivedPredictions {
  const errors = new Map([[0, { code, message }]]);
  return { classes: [], probabilities: new Float64Array(), errors, origins: origin ? [origin] : [] };
}

/**
 * Joins the predictions for the parts of a batch.
 *
 * @param parts in row order; a part without a scored persona may have no classes
 * @throws RowcastError `wrong_answer` if the parts have different classes
 */
export function joinPredictions(
  parts: readonly { personas: number; predictions: ReceivedPredictions }[],
): ReceivedPredictions {
  const classes = parts.find(({ predictions }) => predictions.classes.length > 0)?.predictions.classes ?? [];
  const personas = parts.reduce((sum, part) => sum + part.personas, 0);
  const probabilities = new Float64Array(personas * classes.length).fill(Number.NaN);
  const errors = new Map<number, { code: string; message: string }>();
  let before = 0;
  for (const { personas, predictions } of parts) {
    if (predictions.classes.length > 0 && !isDeepStrictEqual(predictions.classes, classes))
      throw new RowcastError(
        'wrong_answer',
        'the classes in the response differ from those of earlier responses',
        {
          severity: 'stopped',
          hint: 'The report has changed since the run began. Start over with --restart.',
        },
      );
    probabilities.set(predictions.probabilities, before * classes.length);
    for (const [index, error] of predictions.errors) errors.set(before + index, error);
    before += personas;
  }
  return {
    classes,
    probabilities,
    errors,
    origins: parts.flatMap(({ predictions }) => predictions.origins ?? []),
  };
}
