import { isDeepStrictEqual } from 'node:util';
import type { CallError } from '../client/failures.ts';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { RowcastError } from '../errors.ts';

/** The answer to no persona at all. */
export const noPredictions: ReceivedPredictions = {
  classes: [],
  probabilities: new Float64Array(),
  errors: new Map(),
};

/** The answer of a service that will not have one persona. */
export function rejectedPersona({ code, message, origin }: CallError): ReceivedPredictions {
  const errors = new Map([[0, { code, message }]]);
  return { classes: [], probabilities: new Float64Array(), errors, origins: origin ? [origin] : [] };
}

/**
 * The answers to the parts of a batch as one.
 *
 * @param parts in the order of their personas; one without a scored persona need not know the classes
 * @throws RowcastError `wrong_answer` when the parts have other classes
 */
export function joinPredictions(
  parts: readonly { personas: number; answer: ReceivedPredictions }[],
): ReceivedPredictions {
  const classes = parts.find(({ answer }) => answer.classes.length > 0)?.answer.classes ?? [];
  const personas = parts.reduce((sum, part) => sum + part.personas, 0);
  const probabilities = new Float64Array(personas * classes.length).fill(Number.NaN);
  const errors = new Map<number, { code: string; message: string }>();
  let before = 0;
  for (const { personas, answer } of parts) {
    if (answer.classes.length > 0 && !isDeepStrictEqual(answer.classes, classes))
      throw new RowcastError('wrong_answer', 'the service answers with other classes than it began with', {
        consequence: 'stopped',
        hint: 'The report has changed since the run began. Start over with --restart.',
      });
    probabilities.set(answer.probabilities, before * classes.length);
    for (const [index, error] of answer.errors) errors.set(before + index, error);
    before += personas;
  }
  return { classes, probabilities, errors, origins: parts.flatMap(({ answer }) => answer.origins ?? []) };
}
