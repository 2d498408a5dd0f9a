import { join } from 'node:path';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { RequestError } from '../../server/problems/problems.ts';
import { toUnreadableHome } from '../../storage/local/home-folder.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/send-error.ts';
import { html, named } from '../html.ts';
import { addNotice } from '../notice.ts';
import { requireScope, sessionOf } from '../session/require-session.ts';
import { sendEvents, type Watched } from '../watched.ts';
import { downloadRoutes } from './download-routes.ts';
import { evaluationRoutes } from './evaluate/evaluation-routes.ts';
import { inputRoute } from './input-route.ts';
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
