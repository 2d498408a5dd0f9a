import { isUtf8 } from 'node:buffer';
import { MAX_PERSONAS } from '../../base/contract/limits.ts';
import { reportId } from '../../base/contract/schemas.ts';
import { wrongPredictions } from '../../models/local/record-scorer.ts';
import { RequestError } from '../problems/problems.ts';
import { notAPersona } from './encode-personas.ts';
import { JsonReader } from './json-reader.ts';
import type { PersonaPredictor } from './predictor.ts';
import { BatchResponse, expectedBytes, type ResponseWriter } from './serialize-predictions.ts';

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
  #open: OpenBody | undefined;
  readonly #member: ContentMember;
  readonly #response = new BatchResponse();
  #pieces: Iterator<Buffer, undefined> | undefined;
  #count = 0;
  /** Set once the list of personas has begun. */
  #ahead: ReturnType<typeof countAhead> | undefined;
  #isCounted = false;

  /** @throws RequestError `malformed` */
  constructor(body: unknown, member: ContentMember) {
    this.#open = openBody(body, member);
    this.#id = this.#open.id;
    this.#member = member;
  }

  /** The report's id. */
  get id(): string {
    return this.#id;
  }

  /**
   * @throws RequestError `malformed`, `too_many_personas`, `too_many_members`; of a single persona why it has no
   *   prediction
   */
  next(predictor: PersonaPredictor): Slice {
    const { content } = this.#open ?? {};
    if (this.#member === 'features') return this.#single(content, predictor);
    if (content === undefined) throw noPersonas();
    const { work } = predictor;
    if (this.#ahead === undefined) {
      if (!content.nextIsList() || !content.enter()) throw noPersonas();
      this.#ahead = countAhead(content, work.maxPersonas, SLICE_BYTES);
    }
    if (!this.#isCounted) {
      const { value: count, done } = this.#ahead.next();
      this.#isCounted = done === true;
      if (count !== undefined && count > work.maxPersonas) throw tooMany(work);
      const bytes = count === undefined ? 0 : expectedBytes(count, work.sliceRows, predictor.responses);
      if (count === undefined || bytes > LARGE_BYTES)
        return { rows: 0, scored: 0, bytes, body: undefined, hasMore: false };
    }
    return this.#some(content, predictor);
  }

  #single(
    content: JsonReader | undefined,
    { engine, prediction, personas, responses }: PersonaPredictor,
  ): Slice {
    if (content === undefined) throw new RequestError(notAPersona.code, notAPersona.message);
    const { values, errors, warnings } = personas.readFeatures(content);
    this.#open?.end();
    const error = errors.get(0);
    if (error !== undefined) throw new RequestError(error.code, error.message);
    const numbers = engine.predict(values, 1);
    const wrong = wrongPredictions(numbers, prediction).get(0);
    if (wrong !== undefined) throw new RequestError('wrong_prediction', wrong.message);
    const body = responses.single(this.id, numbers, warnings);
    return { rows: 1, scored: 1, bytes: 0, body, hasMore: false };
  }

  #some(content: JsonReader, { engine, prediction, personas, responses, work }: PersonaPredictor): Slice {
    const slice = personas.read(content, work.sliceRows, SLICE_BYTES);
    const { rows, isLast } = slice;
    this.#count += rows;
    if (this.#count > work.maxPersonas) throw tooMany(work);
    if (isLast) this.#open?.end();
    const numbers = engine.predict(slice.values, rows);
    const errors = new Map([...wrongPredictions(numbers, prediction), ...slice.errors]);
    this.#response.add({ rows, errors }, numbers, responses);
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
    this.#open = undefined;
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

/** Maximum members and list items of a body: 200 for each of 10,000 personas. */
export const MAX_BODY_MEMBERS = 2_000_000;

/** The member of a body that holds the content: of one persona, or of several. */
export type ContentMember = 'features' | 'personas';

/** A request body, read until the report and the start of its content are known. */
interface OpenBody {
  /** The report's id. */
  id: string;
  /** Positioned at the content; undefined if the body has none. */
  content: JsonReader | undefined;
  /** Validates what follows the content; call this after reading it. */
  end(): void;
}

const BOM = [0xef, 0xbb, 0xbf];

/**
 * Opens the body of a request to /user/persona or /user/batch-persona.
 *
 * @param member the member that holds the content
 * @throws RequestError `malformed`
 */
function openBody(body: unknown, member: ContentMember): OpenBody {
  if (!Buffer.isBuffer(body)) throw malformed('The body is not a JSON object.');
  // Decoding invalid UTF-8 would silently change values.
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  const json = new JsonReader(body, MAX_BODY_MEMBERS);
  if (BOM.every((byte, i) => body[i] === byte)) json.at = BOM.length;
  if (!json.nextIsObject()) {
    json.skip();
    json.end();
    throw malformed('The body is not a JSON object.');
  }
  let id: string | undefined;
  /** The offset of the content. */
  let start: number | undefined;
  let hasMore = json.enter();
  /** Skips members; stops at the content if the id is already known. */
  const passMembers = (): void => {
    for (; hasMore; hasMore = json.anotherMember()) {
      const { name } = json.name();
      if (name === 'id') {
        if (id !== undefined) throw malformed('The body has two "id" members.');
        id = idOf(json);
      } else if (name === member) {
        if (start !== undefined) throw malformed(`The body has two "${member}" members.`);
        json.peek();
        start = json.at;
        if (id !== undefined) return;
        json.skip();
      } else json.skip();
    }
    json.end();
  };
  passMembers();
  if (id === undefined) throw badId();
  if (start === undefined) return { id, content: undefined, end: () => {} };
  if (!hasMore) {
    // The id came after the content: goes back to it, with the rest already validated.
    json.at = start;
    return { id, content: json, end: () => {} };
  }
  return {
    id,
    content: json,
    end() {
      hasMore = json.anotherMember();
      passMembers();
    },
  };
}

function idOf(json: JsonReader): string {
  if (!json.nextIsString()) throw badId();
  const { data } = reportId.safeParse(json.string());
  if (data === undefined) throw badId();
  return data;
}

const badId = (): RequestError => malformed('The body has no valid report id in "id".');

const malformed = (detail: string): RequestError => new RequestError('malformed', detail);

/** Items whose size tells how many the list may have. */
const SAMPLE = 64;
/** Lists that may have this share of the limit are counted; later items may be shorter than the first ones. */
const NEAR = 0.8;

/**
 * Counts the items of a list before they are read, so that a list with too many is refused before any work is done for
 * it. Pauses after each slice of so many bytes, because a long list takes a while. A list that is far too short is not
 * counted: its length follows from the size of its first items.
 *
 * @param json in a list, at its first item, where it also is in the end
 * @returns how many items the list has, as far as is known; more than `most` if it is too long
 */
export function* countAhead(json: JsonReader, most: number, sliceBytes: number): Generator<void, number> {
  const { at: start, members } = json;
  let count = 0;
  let sliceEnd = start + sliceBytes;
  for (let hasMore = true; hasMore && count <= most; ) {
    json.skip();
    count++;
    hasMore = json.another();
    if (hasMore && count === SAMPLE) {
      const projected = Math.ceil(((json.bytes.length - start) * count) / (json.at - start));
      if (projected <= most * NEAR) {
        count = projected;
        break;
      }
    }
    if (json.at >= sliceEnd) {
      yield;
      sliceEnd = json.at + sliceBytes;
    }
  }
  json.at = start;
  json.members = members;
  return count;
}
