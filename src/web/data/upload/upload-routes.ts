import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { takeOne } from '../../../server/limits/shares.ts';
import { RequestError } from '../../../server/problems/problems.ts';
import { sampleFile, sampleName } from '../../assets.ts';
import type { PlatformContext } from '../../context.ts';
import { MAX_GROUP_BYTES, UPLOAD_THREAD_BYTES } from '../../recognize-upload.ts';
import { sessionOf } from '../../session/require-session.ts';
import { sessionUpload, uploadClient } from '../../session/with-session.ts';
import { shownName } from '../data-files.ts';
import { type ReceivedUpload, receiveUpload } from './receive-upload.ts';

/** Wider files are for `rowcast train`: their profiles would be too large for a page. */
const MAX_COLUMNS = 2_000;

const delimiters = [',', ';', 'tab', '|'] as const;

/** POST /platform/data/sample stores the data that ships with the package, POST /platform/data an upload. */
export const uploadRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  const { data } = context;
  app.post('/platform/data/sample', { onRequest: takeSlot(context) }, async (request, reply) => {
    const file = { body: createReadStream(sampleFile), name: sampleName };
    const meta = await withMemory(context, request, reply, file, upload => receiveUpload(data, upload));
    return reply.redirect(`/data/${meta.id}`, 303);
  });
  await addFileRoute(app, context, '/platform/data', async (_, reply, upload) => {
    const meta = await receiveUpload(data, upload);
    return reply.code(201).header('location', `/data/${meta.id}`).send(meta);
  });
};

const takeSlot =
  ({ fairUse }: PlatformContext) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    takeOne('concurrent uploads', fairUse.shares.uploads, request, reply);

/** Receives a file once there is memory for it. */
async function withMemory<T>(
  { limits, fairUse }: PlatformContext,
  request: FastifyRequest,
  reply: FastifyReply,
  file: Pick<ReceivedUpload, 'body' | 'name' | 'delimiter' | 'size'>,
  receive: (upload: ReceivedUpload) => Promise<T>,
): Promise<T> {
  const by = sessionOf(request).principal.name;
  const client = uploadClient(request, reply, limits);
  const { uploadMemory } = fairUse.shares;
  const release = await client.waits(uploadMemory.take(by, UPLOAD_THREAD_BYTES, client.gone));
  try {
    const fileLimits = { recordBytes: limits.recordBytes, columns: MAX_COLUMNS, groupBytes: MAX_GROUP_BYTES };
    return await receive({ ...file, by, client, limits: fileLimits });
  } finally {
    release();
  }
}

/**
 * Adds a POST whose body is a file: its name is percent-encoded in the header `x-file-name`, and the character between
 * columns may be in `x-delimiter`.
 */
export const addFileRoute = async (
  app: FastifyInstance,
  context: PlatformContext,
  url: string,
  receive: (request: FastifyRequest, reply: FastifyReply, upload: ReceivedUpload) => Promise<FastifyReply>,
): Promise<void> => {
  await app.register(async files => {
    files.removeAllContentTypeParsers();
    files.addContentTypeParser('*', async (_: FastifyRequest, body: Readable) => body);
    files.route<{ Body: Readable | undefined }>({
      method: 'POST',
      url,
      onRequest: takeSlot(context),
      preParsing: sessionUpload(context),
      async handler(request, reply) {
        if (request.body === undefined)
          throw new RequestError('malformed', 'The request has no file in its body.');
        const file = {
          body: request.body,
          name: nameIn(request),
          delimiter: delimiterIn(request),
          size: sizeOf(request),
        };
        return withMemory(context, request, reply, file, upload => receive(request, reply, upload));
      },
    });
  });
};

/** @throws RequestError `malformed` */
function nameIn({ headers }: FastifyRequest): string {
  const name = headers['x-file-name'];
  if (typeof name !== 'string' || name === '')
    throw new RequestError('malformed', 'Give the file’s name, percent-encoded, in the header x-file-name.');
  try {
    return shownName(decodeURIComponent(name));
  } catch {
    throw new RequestError('malformed', 'The header x-file-name is not percent-encoded UTF-8.');
  }
}

/** @throws RequestError `malformed` */
function delimiterIn({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-delimiter'];
  if (given === undefined) return undefined;
  const known = delimiters.find(delimiter => delimiter === given);
  if (known === undefined)
    throw new RequestError('malformed', `The header x-delimiter must be one of ${delimiters.join(' ')}.`);
  return known;
}

/** The number of bytes that will be stored, if it is known. */
function sizeOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined || headers['content-encoding'] !== undefined ? undefined : Number(length);
}
