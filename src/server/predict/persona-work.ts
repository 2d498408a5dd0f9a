import { MAX_PERSONAS } from '../../base/contract/limits.ts';
import { RequestError } from '../problems/problems.ts';
import { BatchResponse, expectedBytes } from './batch-response.ts';
import { CountAhead } from './count-ahead.ts';
import { notAPersona } from './encode-personas.ts';
import type { JsonReader } from './json-reader.ts';
import { type Call, type ContentMember, openCall } from './persona-request.ts';
import type { PersonaPredictor } from './predictor.ts';
import type { ResponseWriter } from './serialize-predictions.ts';

/** What one slice of a request came to. */
export interface Slice {
  /** Personas that were read. */
  rows: number;
  /** Personas that received a prediction. */
  scored: number;
  /** The memory that the response takes so far, or before the first persona of a large list is read: will take. */
  bytes: number;
  /** The response, or its first piece, after the last slice. */
  body: Buffer | undefined;
  /** Whether `more` has further pieces. */
  hasMore: boolean;
}

/** Bytes of a body that are read in one slice: about a thousand typical personas. */
const SLICE_BYTES = 1 << 20;

/** The memory of a large response, which is announced before anything is predicted. */
const LARGE_BYTES = 256 << 10;

/** Scores the request of /user/persona or /user/batch-persona in slices, so that other requests get their turns. */
export class PersonaWork {
  readonly #id: string;
  #call: Call | undefined;
  readonly #member: ContentMember;
  readonly #response = new BatchResponse();
  #pieces: Iterator<Buffer, undefined> | undefined;
  #count = 0;
  /** Set once the list of personas has begun. */
  #ahead: CountAhead | undefined;

  /** @throws RequestError `malformed` */
  constructor(body: unknown, member: ContentMember) {
    this.#call = openCall(body, member);
    this.#id = this.#call.id;
    this.#member = member;
  }

  /** The report's id. */
  get id(): string {
    return this.#id;
  }

  /** @throws RequestError `malformed`, `too_many_personas`, `too_many_members`; of a single persona why it has no prediction */
  next(predictor: PersonaPredictor): Slice {
    const { content } = this.#call ?? {};
    if (this.#member === 'features') return this.#single(content, predictor);
    if (content === undefined) throw noPersonas();
    const { work } = predictor;
    if (this.#ahead === undefined) {
      if (!content.nextIsList() || !content.enter()) throw noPersonas();
      this.#ahead = new CountAhead(content, work.maxPersonas);
    }
    if (!this.#ahead.isDone) {
      if (this.#ahead.next(SLICE_BYTES)) throw tooMany(work);
      const bytes = this.#ahead.isDone
        ? expectedBytes(this.#ahead.expected, work.sliceRows, predictor.responses)
        : 0;
      if (!this.#ahead.isDone || bytes > LARGE_BYTES)
        return { rows: 0, scored: 0, bytes, body: undefined, hasMore: false };
    }
    return this.#some(content, predictor);
  }

  #single(content: JsonReader | undefined, { engine, personas, responses }: PersonaPredictor): Slice {
    if (content === undefined) throw new RequestError(notAPersona.code, notAPersona.message);
    const { values, errors, warnings } = personas.readFeatures(content);
    this.#call?.end();
    const error = errors.get(0);
    if (error !== undefined) throw new RequestError(error.code, error.message);
    const body = responses.single(this.id, engine.predict(values, 1), warnings);
    return { rows: 1, scored: 1, bytes: 0, body, hasMore: false };
  }

  #some(content: JsonReader, { engine, personas, responses, work }: PersonaPredictor): Slice {
    const slice = personas.read(content, work.sliceRows, SLICE_BYTES);
    const { rows, errors, isLast } = slice;
    this.#count += rows;
    if (this.#count > work.maxPersonas) throw tooMany(work);
    if (isLast) this.#call?.end();
    this.#response.add(slice, engine.predict(slice.values, rows), responses);
    const { bytes } = this.#response;
    const body = isLast ? this.#begin(responses) : undefined;
    return { rows, scored: rows - errors.size, bytes, body, hasMore: isLast && !this.#response.isWhole };
  }

  /** The next piece of a response that has more; undefined after the last one. */
  more(): Buffer | undefined {
    return this.#pieces?.next().value;
  }

  /** Frees what the response still holds. */
  close(): void {
    this.#response.close();
  }

  #begin(responses: ResponseWriter): Buffer | undefined {
    // The body of the request is not needed any more.
    this.#call = undefined;
    this.#ahead = undefined;
    this.#pieces = this.#response.pieces(this.id, responses);
    return this.more();
  }
}

const noPersonas = (): RequestError =>
  new RequestError('malformed', 'The body must have "personas", a list with at least one persona.');

function tooMany({ maxPersonas, size }: PersonaPredictor['work']): RequestError {
  const count = `at most ${maxPersonas.toLocaleString('en-US')} personas`;
  const reason = maxPersonas === MAX_PERSONAS ? '' : ` to this report, which has ${size}`;
  return new RequestError('too_many_personas', `Send ${count} per request${reason}.`);
}
