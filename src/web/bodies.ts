import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { bodyReader } from '../server/http/request-body.ts';
import type { PlatformContext } from './context.ts';

/** Forms of many columns are a few hundred KiB. Routes that take files have parsers of their own. */
const FORM_BYTES = 4 * 1024 * 1024;

/** Accepts forms and JSON of limited size and duration. */
export async function acceptForms(app: FastifyInstance, { limits, fairUse }: PlatformContext): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit: FORM_BYTES });
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    app.getDefaultJsonParser('error', 'error'),
  );
  const read = bodyReader(limits, fairUse.shares.bodies);
  app.addHook('preParsing', async function (request, reply, payload) {
    const type = request.headers['content-type'] ?? '';
    const isSmall = /^application\/(json|x-www-form-urlencoded)\b/i.test(type);
    return isSmall ? read.call(this, request, reply, payload) : payload;
  });
}
