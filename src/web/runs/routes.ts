import type { FastifyPluginAsync } from 'fastify';
import type { PlatformContext } from '../context.ts';

/** The pages and routes of scoring runs. */
export const runRoutes: FastifyPluginAsync<PlatformContext> = async () => {};
