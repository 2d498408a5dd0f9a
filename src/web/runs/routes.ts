import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { Interrupted } from '../../base/interrupted.ts';
import { uploadTurns } from '../../server/batch-predict/upload-scorer.ts';
import { takeOne } from '../../server/limits/shares.ts';
import { RequestError } from '../../server/problems/problems.ts';
import { toUnreadableHome } from '../../storage/local/home-folder.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/send-error.ts';
import { html, named } from '../html.ts';
import { addNotice } from '../notice.ts';
import { requireScope, sessionOf } from '../session/require-session.ts';
import { sessionUpload, uploadClient } from '../session/with-session.ts';
import { sendEvents, type Watched } from '../watched.ts';
import { downloadRoutes } from './download-routes.ts';
import { evaluationRoutes } from './evaluate/evaluation-routes.ts';
import { countRuns } from './run-store.ts';
import { type RunContext, Runs } from './runs.ts';
import { sendRunsPage } from './runs-page.ts';
import { delimiter, fileNameOf, maySee, type StoredProgress } from './stored-run.ts';

const params = z.object({ id: z.string() });
const order = z.object({ report: z.string(), file: z.string().max(1_000), delimiter: delimiter.optional() });

/** The page on which files are scored, and what it requests. */
export const runRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  const runs = new Runs(context.home, context.log);
  const space = await countRuns(runs.store, context.data.quota).catch(
    toUnreadableHome(join(context.home, 'runs'), 'runs'),
  );
  // Uploads are finished like other requests; their summaries are written after them.
  app.addHook('onClose', () => runs.settled());

  async function runOf(request: FastifyRequest): Promise<Watched<StoredProgress>> {
    const { id } = params.parse(request.params);
    const run = await runs.watch(id);
    if (run === undefined || !maySee(sessionOf(request).principal, run.value))
      throw new RequestError('no_such_run', 'There is no such run. It may have been deleted.');
    return run;
  }

  const all: RunContext = { ...context, runs, space, runOf };

  app.get('/runs', (request, reply) => sendRunsPage(request, reply, all));

  app.post('/platform/runs', async (request, reply) => {
    const { data: body } = order.safeParse(request.body);
    if (body === undefined) throw new RequestError('malformed', 'Give the report and the name of the file.');
    requireScope(request, body.report, 'predict');
    // So that a report that is missing or damaged is noticed before the file is sent.
    await context.models.predictor(body.report);
    const { name: by } = sessionOf(request).principal;
    const run = await runs.create({ ...body, by, file: fileNameOf(body.file) });
    return reply.code(201).send(run);
  });

  await app.register(inputRoute, all);

  app.get('/platform/runs/:id/events', async (request, reply) =>
    sendEvents(request, reply, await runOf(request)),
  );

  await app.register(downloadRoutes, all);
  await app.register(evaluationRoutes, all);

  app.post('/platform/runs/:id/delete', remove);
  app.delete('/platform/runs/:id', remove);

  async function remove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { id, file } = (await runOf(request)).value;
    await runs.remove(id);
    space.release(id);
    if (!isPageRequest(request)) return reply.code(204).send();
    addNotice(sessionOf(request), { kind: 'good', text: html`The run of ${named(file)} was deleted.` });
    return reply.redirect('/runs', 303);
  }
};

/** Takes the file of a run, and responds when it is scored, if the client waits for that. */
const inputRoute: FastifyPluginAsync<RunContext> = async (app, context) => {
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
