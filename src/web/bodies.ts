import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyReader } from '../server/http/request-body.ts';
import { JsonReader, tooManyMembers } from '../server/predict/json-reader.ts';
import { RequestError } from '../server/problems/problems.ts';
import type { PlatformContext } from './context.ts';

/** Forms of many columns are a few hundred KiB. Routes that take files have parsers of their own. */
const FORM_BYTES = 4 * 1024 * 1024;
/** The form for a training has several controls for each of up to 2,000 columns. */
const MAX_CONTROLS = 20_000;
/** A persona has up to a thousand fields. */
const JSON_BYTES = 1024 * 1024;

/** Accepts forms and JSON of limited size and duration. */
export async function acceptForms(app: FastifyInstance, { limits, fairUse }: PlatformContext): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_: FastifyRequest, body: string) => readForm(body),
  );
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: JSON_BYTES },
    async (_: FastifyRequest, body: Buffer) => readFormJson(body),
  );
  const read = bodyReader(limits, fairUse.shares.bodies);
  app.addHook('preParsing', async function (request, reply, payload) {
    const type = request.headers['content-type'] ?? '';
    const isSmall = /^application\/(json|x-www-form-urlencoded)\b/i.test(type);
    return isSmall ? read.call(this, request, reply, payload) : payload;
  });
}

/** Reads a form; of a control that is sent twice, a list. */
function readForm(text: string): Record<string, unknown> {
  let controls = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++controls > MAX_CONTROLS) throw tooManyMembers('The form', MAX_CONTROLS);
  // By default, it would drop what follows the first thousand.
  return parse(text, '&', '=', { maxKeys: 0 });
}

/** Maximum controls of such a form: that of a persona has a thousand fields, and a few more controls. */
const MAX_JSON_CONTROLS = 2_000;

/**
 * Reads the controls of a form that a page sends as JSON: an object of texts, numbers and the like. Lists and objects
 * are ignored. Objects with many different names take `JSON.parse` seconds; see `JsonReader`.
 *
 * @throws RequestError `malformed`, `too_many_members`
 */
export function readFormJson(body: Buffer): Readonly<Record<string, unknown>> {
  if (!isUtf8(body)) throw new RequestError('malformed', 'The body is not UTF-8.');
  const json = new JsonReader(body, MAX_JSON_CONTROLS);
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
