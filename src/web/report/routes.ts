import type { FastifyPluginAsync } from 'fastify';
import type { PlatformContext } from '../context.ts';

/** The pages and routes of reports. */
export const reportRoutes: FastifyPluginAsync<PlatformContext> = async () => {};
