import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Interrupted } from '../../base/interrupted.ts';
import { uploadTurns } from '../../server/batch-predict/upload-scorer.ts';
import { takeOne } from '../../server/limits/shares.ts';
import { requireScope, sessionOf } from '../session/require-session.ts';
import { sessionUpload, uploadClient } from '../session/with-session.ts';
import type { RunContext } from './runs.ts';

/** Takes the file of a run, and responds when it is scored, if the client waits for that. */
export const inputRoute: FastifyPluginAsync<RunContext> = async (app, context) => {
  const { runs, space, runOf, models, threads, limits, fairUse, onScored } = context;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_: FastifyRequest, body: Readable) => body);

  app.route<{ Body: Readable | undefined }>({
    method: 'PUT',
    url: '/platform/runs/:id/input',
    async onRequest(request, reply) {
      takeOne('concurrent uploads', fairUse.shares.uploads, request, reply);
    },
    preParsing: sessionUpload(context),
    async handler(request, reply) {
      const { id, report, by } = (await runOf(request)).value;
      // The key may have lost either since the run was created.
      requireScope(request, report, 'predict');
      space.begin(id, by);
      let counted = 0;
      const client = uploadClient(request, reply, limits);
      const { ended } = sessionOf(request);
      const held: (() => void)[] = [];
      const remember = async (bytes: number, stop: AbortSignal): Promise<void> => {
        if (bytes === 0) return;
        const share = fairUse.shares.uploadMemory
          .take(by, bytes, AbortSignal.any([ended, stop]))
          .catch(error => {
            throw stop.aborted ? new Interrupted(stop) : error;
          });
        held.push(await client.waits(share));
      };
      const upload = runs.upload(id, {
        body: request.body ?? Readable.from([]),
        models,
        threads,
        limits,
        batchRows: fairUse.rowRate.batchRows,
        turns: uploadTurns(request, reply, { fairUse, idleMs: limits.idleMs, ended }),
        client,
        ended,
        remember,
        reserve: bytes => space.cover(id, bytes),
        onProgress({ scored }) {
          onScored(request, scored - counted);
          counted = scored;
        },
      });
      const run = await upload.finally(() => {
        for (const release of held) release();
      });
      space.set(id, await runs.store.size(id));
      return reply.code(200).send(run);
    },
  });
};
