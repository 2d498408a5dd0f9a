import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parquetTypes, type UploadFormat, uploadTypes } from '../../base/contract/file-formats.ts';
import {
  formatRowCounts,
  rowCountsTrailer,
  type UploadRowCounts,
} from '../../base/contract/row-counts-trailer.ts';
import { sanitize } from '../../base/sanitize.ts';
import { rowCountsOf } from '../../scoring/row-counts.ts';
import { prefetch } from '../../scoring/scored-stream.ts';
import { authorize } from '../auth/require-key.ts';
import { keyOf, takeOne } from '../limits/shares.ts';
import { problemFrom, RequestError } from '../problems/problems.ts';
import { isGone, onRequestEnd } from '../request-end.ts';
import type { Shared } from '../service.ts';
import { readForm, type UploadedFile, uploadName } from './multipart-form.ts';
import { spillSpace, spooled } from './spool.ts';
import { uploadBody } from './upload-body.ts';
import { scoreUpload, uploadTurns } from './upload-scorer.ts';

/**
 * How many parts of the response are held back: the header, the first batch, and what follows it. Errors in a file that
 * is not longer are still reported with a status; later ones can only abort the response.
 */
const HELD_BACK = 3;

/**
 * POST /user/batch-predict: takes a CSV or JSON lines and streams the rows back with a probability per class. The row
 * counts follow as a trailer. A failure after the first byte aborts the connection, so that a partial response is never
 * mistaken for a complete one.
 */
export async function batchPredictRoute(app: FastifyInstance, options: Shared): Promise<void> {
  const { home, models, threads, limits, fairUse, onScored } = options;
  const { shares } = fairUse;
  const { batchRows } = fairUse.rowRate;
  const { spillBytes, spillMs } = limits;
  app.removeAllContentTypeParsers();
  const types = [...Object.values(uploadTypes).flat(), ...parquetTypes];
  app.addContentTypeParser(types, async (request: FastifyRequest, bytes: Readable) => {
    const name = uploadName(undefined, request.headers['content-type']);
    const { id } = Object(request.query); // a string, or a list if it is given twice
    if (typeof id !== 'string')
      throw new RequestError('malformed', 'Give the report’s id once, in the query: ?id=REPORT.');
    return { id, name, bytes };
  });
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: Readable) =>
    readForm(body, request.headers['content-type'] ?? ''),
  );

  app.route<{ Body: UploadedFile | null | undefined }>({
    method: 'POST',
    url: '/batch-predict',
    config: { scope: 'predict' },
    async onRequest(request, reply) {
      if (request.raw.httpVersion === '1.0')
        throw new RequestError(
          'http_version',
          'The response ends in trailers, which HTTP/1.0 does not support.',
        );
      takeOne('concurrent uploads', shares.uploads, request, reply);
    },
    preParsing: uploadBody(options),
    async handler(request, reply) {
      if (!request.body)
        throw new RequestError(
          'unsupported_media_type',
          'Send the file as text/csv, application/x-ndjson or multipart/form-data.',
        );
      const { id } = request.body;
      const file = request.body;
      authorize(request, id);
      let rowCounts: (() => UploadRowCounts) | undefined;
      let format: UploadFormat = 'csv';
      const turns = uploadTurns(request, reply, { fairUse, idleMs: limits.idleMs });

      async function* scored(): AsyncGenerator<Buffer> {
        const { predictor, release } = await models.hold(id);
        try {
          const scored = await scoreUpload(file, predictor, { limits, batchRows, turns, threads });
          rowCounts = scored.rowCounts;
          if (scored.format === 'jsonl') format = 'jsonl';
          for await (const merged of scored.pieces) {
            onScored(request, merged.scored);
            // Several parts are held back, and the memory of one is reused.
            yield Buffer.from(merged.bytes);
          }
        } finally {
          release();
        }
      }

      const parts = scored();
      onRequestEnd(reply, () => parts.return(undefined));
      const waiting = spooled(await prefetch(parts, HELD_BACK), {
        // Responses wait there while their clients do not read.
        folder: home,
        spillBytes,
        space: spillSpace(shares.spill, keyOf(request)),
        spillMs,
        onFull: () =>
          request.log.warn(
            { event: 'response_spilled' },
            `the client is not reading: ${spillBytes} bytes of its response are buffered on disk`,
          ),
        // Fails at once even if the client sends without reading, so that it does not wait forever.
        onFailure: failure => rows.destroy(failure),
      });

      async function* scoredRows(): AsyncGenerator<Buffer> {
        try {
          yield* waiting;
        } catch (error) {
          // A disconnected client is not worth a warning.
          if (!isGone(reply))
            request.log.warn({ event: 'response_aborted' }, `response aborted: ${reasonOf(error)}`);
          throw error;
        }
      }

      const rows = Readable.from(scoredRows());

      reply.trailer(rowCountsTrailer, async () => formatRowCounts(rowCounts?.() ?? rowCountsOf(undefined)));
      const [type] = uploadTypes[format];
      reply.type(type === 'text/csv' ? `${type}; charset=utf-8` : type).header('vary', 'accept-encoding');
      if (negotiate(request.headers['accept-encoding'] ?? '', ['gzip', 'identity']) !== 'gzip')
        return reply.send(rows);
      reply.header('content-encoding', 'gzip');
      // Flushes each chunk, so that rows do not wait in the compressor; the cost is small for whole batches.
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      // A failure destroys both, which aborts the response.
      return reply.send(pipeline(rows, gzip, () => {}));
    },
  });
}

/** The reason for the log: the problem's detail, or the message of an unexpected error, such as a full disk. */
function reasonOf(error: unknown): string {
  const { status, detail } = problemFrom(error);
  return sanitize(status === 500 && error instanceof Error ? error.message : detail);
}
