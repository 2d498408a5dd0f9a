import { type Labels, type Numbers, numbersPerRow } from '../../base/contract/predictions.ts';
import { MAX_LABEL_BYTES } from '../../formats/appended.ts';
import type { Outcome, PartRequest } from '../scorer.ts';
import { noPredictions } from './join-predictions.ts';

type Errors = Map<number, { code: string; message: string }>;

/**
 * Rejects the rows whose label or number cannot be appended: a number must be finite, a label neither empty, as the
 * field of a row without a prediction is, nor too long. If those of every row are wrong, so is the response: the
 * attempt has failed, unless these rows are what is left after halving a batch. Probabilities are checked where they
 * are received, because a scorer may have merged them already.
 */
export function checkedOutcome(
  outcome: Outcome,
  { predictionType, allowAllInvalid }: Pick<PartRequest, 'predictionType' | 'allowAllInvalid'>,
): Outcome {
  if (!('predictions' in outcome)) return outcome;
  const { predictions, faults, unsent = 0 } = outcome;
  if (predictions.kind === 'distribution') return outcome;
  const wrong = predictions.kind === 'label' ? wrongLabels(predictions) : wrongNumbers(predictions);
  const [first] = wrong;
  if (first === undefined) return outcome;
  const { origins = [] } = predictions;
  const errors = new Map([...predictions.errors, ...wrong]);
  // Rows that were not sent have an error and no prediction.
  if (wrong.size < personasOf(predictions) - unsent)
    return { ...outcome, predictions: { ...predictions, errors } };
  if (!allowAllInvalid) {
    const [row, { message }] = first;
    const origin = origins[0];
    return {
      faults,
      failure: {
        kind: 'invalid_response',
        code: 'wrong_answer',
        message: `prediction ${row + 1}: ${message}`,
        location: {},
        ...(origin !== undefined && { origin }),
      },
    };
  }
  // What was seen only in wrong predictions must not become what the header says.
  const known = predictionType === undefined ? noPredictions : predictions;
  return { ...outcome, predictions: { ...known, errors, origins } };
}

const personasOf = (predictions: Labels | Numbers): number =>
  predictions.kind === 'label'
    ? predictions.indices.length
    : predictions.values.length / numbersPerRow(predictions.names);

/** Why rows have no number that can be appended: it must be finite. */
export function wrongNumbers({ names, values, errors }: Omit<Numbers, 'kind'>): Errors {
  const wrong: Errors = new Map();
  for (const [at, value] of values.entries()) {
    const row = Math.floor(at / numbersPerRow(names));
    if (Number.isFinite(value) || errors.has(row) || wrong.has(row)) continue;
    const name = names[at % numbersPerRow(names)];
    const what = name === undefined ? 'the number' : `the number "${name}"`;
    wrong.set(row, { code: 'wrong_prediction', message: `${what} is ${value}` });
  }
  return wrong;
}

function wrongLabels({ labels, indices, errors }: Labels): Errors {
  const wrong: Errors = new Map();
  const sizes = labels.map(label => Buffer.byteLength(label));
  for (const [row, index] of indices.entries()) {
    const size = sizes[index];
    if ((size && size <= MAX_LABEL_BYTES) || errors.has(row)) continue;
    const message =
      size === undefined
        ? 'there is no label'
        : size === 0
          ? 'the label is empty'
          : `the label has ${size} bytes; the limit is ${MAX_LABEL_BYTES}`;
    wrong.set(row, { code: 'wrong_prediction', message });
  }
  return wrong;
}
