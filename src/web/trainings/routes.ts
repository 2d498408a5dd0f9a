import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import { isPageRequest } from '../errors/send-error.ts';
import { platformProblem } from '../errors/shown-error.ts';
import { requireUnbound, sessionOf } from '../session/require-session.ts';
import type { TrainingProgress, TrainingState } from '../training-store.ts';
import { sendEvents, type Watched } from '../watched.ts';
import { Leaks } from './leaks.ts';
import { readOrder, trainingBody } from './order.ts';
import { sendPredictPage } from './predict-page.ts';
import { countReport, Trainings } from './trainings.ts';

const dataParams = z.object({ id: z.string() });

/** The Predict page, and the routes that start, watch and cancel trainings. */
export const trainingRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  const trainings = new Trainings(context.home, context.log);
  const leaks = new Leaks();
  const page = { context, trainings, leaks };
  // A training may take minutes, so the service does not wait for its end. One that was just starting is ended last.
  app.addHook('preClose', async () => void (await Promise.all([trainings.close(), leaks.close()])));
  app.addHook('onClose', () => trainings.close());
  app.addHook('onRequest', async request => requireUnbound(request));

  app.get('/data/:id/predict', async (request, reply) => {
    const { id } = dataParams.parse(request.params);
    return sendPredictPage(request, reply, page, id);
  });

  app.post('/platform/trainings', async (request, reply) => {
    const body = trainingBody.safeParse(request.body);
    if (!body.success) throw new RequestError('malformed', 'The form is not complete. Load the page again.');
    const { data: id } = body.data;
    try {
      const { order, release } = await readOrder(body.data, context, sessionOf(request).principal.name);
      const onEnd = async ({ status, report, by }: TrainingState): Promise<void> => {
        release();
        if (status === 'finished') await countReport(context.reportSpace, context.home, { report, by });
      };
      const state = await trainings.start({ ...order, onEnd }).catch(error => {
        release();
        throw error;
      });
      const path = `/data/${id}/predict?training=${state.id}`;
      if (isPageRequest(request)) return reply.redirect(path, 303);
      return reply.code(201).header('location', path).send(state);
    } catch (error) {
      if (!isPageRequest(request)) throw error;
      const { status, detail } = platformProblem(error);
      if (status === 404 || status >= 500) throw error;
      reply.code(status);
      return sendPredictPage(request, reply, page, id, { ...body.data, error: detail });
    }
  });

  app.get('/platform/trainings/:id/events', async (request, reply) =>
    sendEvents(request, reply, await watched(request)),
  );

  app.post('/platform/trainings/:id/cancel', async (request, reply) => {
    const { id, data, status } = (await watched(request)).value;
    if (!(await trainings.cancel(id)) && status === 'running')
      throw new RequestError(
        'not_running_here',
        'The training runs in another process of the service: cancel it there.',
      );
    if (isPageRequest(request)) return reply.redirect(`/data/${data.id}/predict?training=${id}`, 303);
    return reply.code(204).send();
  });

  async function watched(request: FastifyRequest): Promise<Watched<TrainingProgress>> {
    const { id } = dataParams.parse(request.params);
    const training = await trainings.watch(id);
    if (training === undefined)
      throw new RequestError('no_such_training', 'There is no such training. Old ones are forgotten.');
    return training;
  }
};
