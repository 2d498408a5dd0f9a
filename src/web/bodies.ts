import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyReader } from '../server/http/request-body.ts';
import { tooManyMembers } from '../server/predict/json-reader.ts';
import type { PlatformContext } from './context.ts';
import { readFormJson } from './form-json.ts';

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
