import type { FastifyPluginAsync } from 'fastify';
import type { PlatformContext } from '../context.ts';

/** The pages and routes of keys. */
export const keyRoutes: FastifyPluginAsync<PlatformContext> = async () => {};
