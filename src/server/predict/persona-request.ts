import { isUtf8 } from 'node:buffer';
import { reportId } from '../../base/contract/schemas.ts';
import { RequestError } from '../problems/problems.ts';
import { JsonReader } from './json-reader.ts';

/** Maximum members and list items of a body: 200 for each of 10,000 personas. */
export const MAX_BODY_MEMBERS = 2_000_000;

/** The member of a body that holds the content: of one persona, or of several. */
export type ContentMember = 'features' | 'personas';

/** A request body, read until the report and the start of its content are known. */
export interface Call {
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
export function openCall(body: unknown, member: ContentMember): Call {
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
