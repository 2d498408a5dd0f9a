import { isUtf8 } from 'node:buffer';
import { reportId } from '../../contract/schemas.ts';
import { RequestError } from '../problems/problems.ts';
import { JsonReader } from './json-reader.ts';

/** Members and list items of a whole body: 200 for each of as many personas as a call takes. */
export const MAX_BODY_MEMBERS = 2_000_000;

/** The body of a call, read as far as the report and the beginning of its content are known. */
export interface Call {
  /** The report's id. */
  id: string;
  /** At the content: what follows may be read. Undefined where the body has none. */
  content: JsonReader | undefined;
  /** Checks what follows the content, once that was read. */
  end(): void;
}

const BOM = [0xef, 0xbb, 0xbf];

/**
 * Reads the body of a call to /user/persona or /user/batch-persona.
 *
 * @param member what holds the content: `features` or `personas`
 * @throws RequestError `malformed`
 */
export function openCall(body: unknown, member: 'features' | 'personas'): Call {
  if (!Buffer.isBuffer(body)) throw malformed('The body is not a JSON object.');
  // Else another text would be taken for what was sent.
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  const json = new JsonReader(body, MAX_BODY_MEMBERS);
  if (BOM.every((byte, i) => body[i] === byte)) json.at = BOM.length;
  if (!json.nextIsObject()) {
    json.skip();
    json.end();
    throw malformed('The body is not a JSON object.');
  }
  let id: string | undefined;
  /** Where the content begins. */
  let start: number | undefined;
  let hasMore = json.enter();
  /** Passes members; stops before the content when the id is known by then. */
  const passMembers = (): void => {
    for (; hasMore; hasMore = json.anotherMember()) {
      const { name } = json.name();
      if (name === 'id') {
        if (id !== undefined) throw malformed('The body has two members "id".');
        id = idOf(json);
      } else if (name === member) {
        if (start !== undefined) throw malformed(`The body has two members "${member}".`);
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
    // The id came last: back to the content, with the rest known to be good.
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

const badId = (): RequestError => malformed('The body has no "id" that a report could have.');

const malformed = (detail: string): RequestError => new RequestError('malformed', detail);
