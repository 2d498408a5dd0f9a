import type { FastifyPluginAsync } from 'fastify';
import type { PlatformContext } from '../context.ts';
import { html } from '../html.ts';
import { sendPage } from '../page.ts';

/** The pages and routes of uploaded data, and the home page. */
export const dataRoutes: FastifyPluginAsync<PlatformContext> = async app => {
  app.get('/', (request, reply) =>
    sendPage(request, reply, { title: 'Reports', current: '/', content: html`<h1>Reports</h1>` }),
  );
};
