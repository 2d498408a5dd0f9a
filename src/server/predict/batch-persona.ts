import { MAX_PERSONAS } from '../../contract/limits.ts';
import { RequestError } from '../problems/problems.ts';
import type { Call } from './persona-request.ts';
import type { Predictor } from './predictor.ts';

export interface BatchPersonaOptions {
  /** Whether the client has disconnected, so that the work is pointless. */
  isGone(): boolean;
  /** Waits until the next slice may be scored. */
  nextTurn(): Promise<void>;
  /** Called with the number of personas in a slice before they are scored. */
  onRows(personas: number): void;
  /** Called with the number of personas that received a prediction. */
  onScored(personas: number): void;
}

/** Bytes of a body that are read in one slice: about a thousand typical personas. */
const SLICE_BYTES = 1 << 20;

/**
 * Scores the personas of a request in slices, so that other requests get their turns in between.
 *
 * @returns the response body
 * @throws RequestError `malformed`, `too_many_personas`, `too_many_members`
 */
export async function batchPersona(
  { id, content: json, end }: Call,
  { model, personas, responses, work }: Predictor,
  { isGone, nextTurn, onRows, onScored }: BatchPersonaOptions,
): Promise<Buffer> {
  if (json?.nextIsList() !== true || !json.enter())
    throw new RequestError('malformed', 'The body must have "personas", a list with at least one persona.');
  const predictions: Buffer[] = [];
  let count = 0;
  for (;;) {
    await nextTurn();
    if (isGone()) throw new RequestError('malformed', 'The connection was closed.');
    const slice = personas.read(json, work.sliceRows, SLICE_BYTES);
    count += slice.rows;
    if (count > work.maxPersonas) throw tooMany(work);
    if (slice.isLast) end();
    onRows(slice.rows);
    const probabilities = model.engine.predict(slice.values, slice.rows);
    predictions.push(responses.predictions(slice, probabilities));
    onScored(slice.rows - slice.errors.size);
    if (slice.isLast) return responses.batch(id, predictions);
  }
}

function tooMany({ maxPersonas, size }: Predictor['work']): RequestError {
  const count = `at most ${maxPersonas.toLocaleString('en-US')} personas`;
  const reason = maxPersonas === MAX_PERSONAS ? '' : ` to this report, which has ${size}`;
  return new RequestError('too_many_personas', `Send ${count} per request${reason}.`);
}
