import { MAX_PERSONAS } from '../../contract/limits.ts';
import { RequestError } from '../problems/problems.ts';
import { notAPersona } from './encode-personas.ts';
import type { JsonReader } from './json-reader.ts';
import { type Call, type ContentMember, openCall } from './persona-request.ts';
import type { PersonaPredictor } from './predictor.ts';

/** What one slice of a request came to. */
export interface Slice {
  /** Personas that were read. */
  rows: number;
  /** Those that received a prediction. */
  scored: number;
  /** The response, after the last slice. */
  body: Buffer | undefined;
}

/** Bytes of a body that are read in one slice: about a thousand typical personas. */
const SLICE_BYTES = 1 << 20;

/** Scores the request of /user/persona or /user/batch-persona in slices, so that other requests get their turns. */
export class PersonaWork {
  readonly #call: Call;
  readonly #member: ContentMember;
  readonly #predictions: Buffer[] = [];
  #count = 0;

  /** @throws RequestError `malformed` */
  constructor(body: unknown, member: ContentMember) {
    this.#call = openCall(body, member);
    this.#member = member;
  }

  /** The report's id. */
  get id(): string {
    return this.#call.id;
  }

  /** @throws RequestError `malformed`, `too_many_personas`, `too_many_members`; of a single persona why it has no prediction */
  next(predictor: PersonaPredictor): Slice {
    const { content } = this.#call;
    if (this.#member === 'features') return this.#single(content, predictor);
    if (this.#count === 0 && (content?.nextIsList() !== true || !content.enter())) throw noPersonas();
    if (content === undefined) throw noPersonas();
    return this.#some(content, predictor);
  }

  #single(content: JsonReader | undefined, { engine, personas, responses }: PersonaPredictor): Slice {
    if (content === undefined) throw new RequestError(notAPersona.code, notAPersona.message);
    const { values, errors } = personas.readFeatures(content);
    this.#call.end();
    const error = errors.get(0);
    if (error !== undefined) throw new RequestError(error.code, error.message);
    return { rows: 1, scored: 1, body: responses.single(this.id, engine.predict(values, 1)) };
  }

  #some(content: JsonReader, { engine, personas, responses, work }: PersonaPredictor): Slice {
    const slice = personas.read(content, work.sliceRows, SLICE_BYTES);
    const { rows, errors, isLast } = slice;
    this.#count += rows;
    if (this.#count > work.maxPersonas) throw tooMany(work);
    if (isLast) this.#call.end();
    this.#predictions.push(responses.predictions(slice, engine.predict(slice.values, rows)));
    const body = isLast ? responses.batch(this.id, this.#predictions) : undefined;
    return { rows, scored: rows - errors.size, body };
  }
}

const noPersonas = (): RequestError =>
  new RequestError('malformed', 'The body must have "personas", a list with at least one persona.');

function tooMany({ maxPersonas, size }: PersonaPredictor['work']): RequestError {
  const count = `at most ${maxPersonas.toLocaleString('en-US')} personas`;
  const reason = maxPersonas === MAX_PERSONAS ? '' : ` to this report, which has ${size}`;
  return new RequestError('too_many_personas', `Send ${count} per request${reason}.`);
}
