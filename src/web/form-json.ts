import { isUtf8 } from 'node:buffer';
import { JsonReader } from '../server/predict/json-reader.ts';
import { RequestError } from '../server/problems/problems.ts';

/** Maximum controls of such a form: that of a persona has a thousand fields, and a few more controls. */
const MAX_CONTROLS = 2_000;

/**
 * Reads the controls of a form that a page sends as JSON: an object of texts, numbers and the like. Lists and objects are
 * ignored.
 * Objects with many different names take `JSON.parse` seconds; see `JsonReader`.
 *
 * @throws RequestError `malformed`, `too_many_members`
 */
export function readFormJson(body: Buffer): Readonly<Record<string, unknown>> {
  if (!isUtf8(body)) throw new RequestError('malformed', 'The body is not UTF-8.');
  const json = new JsonReader(body, MAX_CONTROLS);
  if (!json.nextIsObject()) throw new RequestError('malformed', 'The body is not a JSON object.');
  const controls = new Map<string, unknown>();
  if (json.enter())
    do {
      const { name } = json.name();
      const value = json.scalar();
      if (value !== undefined) controls.set(name, value);
    } while (json.anotherMember());
  json.end();
  return Object.fromEntries(controls);
}
