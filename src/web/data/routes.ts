import { isDeepStrictEqual } from 'node:util';
import type { FastifyPluginAsync } from 'fastify';
import * as z from 'zod';
import type { PlatformContext } from '../context.ts';
import { addNotice } from '../notice.ts';
import { requireUnbound, sessionOf } from '../session/require-session.ts';
import { dataPage } from './data-page.ts';
import { homePage } from './home-page.ts';
import { changesIn } from './settings.ts';
import { uploadRoutes } from './upload/upload-routes.ts';

/** The form of the columns is also sent by the button that goes on to the Predict page. */
const goingOn = z.object({ next: z.literal('predict').optional().catch(undefined) });

interface DataParams {
  Params: { id: string };
}

/** The pages and routes of uploaded data, and the home page. */
export const dataRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  const { data } = context;
  app.get('/', (request, reply) => homePage(request, reply, context));

  await app.register(async unbound => {
    unbound.addHook('onRequest', async request => requireUnbound(request));

    unbound.get<DataParams>('/data/:id', async (request, reply) => {
      const { id } = request.params;
      return dataPage(request, reply, await data.meta(id), await data.profile(id));
    });

    unbound.post<DataParams>('/platform/data/:id/settings', async (request, reply) => {
      const { id } = request.params;
      const { columns } = await data.profile(id);
      const change = changesIn(
        request.body,
        columns.map(({ name }) => name),
      );
      const before = (await data.meta(id)).settings;
      const { settings } = await data.changeSettings(id, change);
      const { next } = goingOn.parse(request.body);
      if (next === undefined || !isDeepStrictEqual(settings, before))
        addNotice(sessionOf(request), {
          kind: 'good',
          text: 'Saved. Trainings use these choices from now on.',
        });
      return reply.redirect(next === 'predict' ? `/data/${id}/predict` : `/data/${id}`, 303);
    });

    unbound.post<DataParams>('/platform/data/:id/delete', async (request, reply) => {
      await data.delete(request.params.id);
      addNotice(sessionOf(request), { kind: 'good', text: 'The data was deleted. Its reports are kept.' });
      return reply.redirect('/', 303);
    });

    await unbound.register(uploadRoutes, context);
  });
};
