import type { FastifyPluginAsync } from 'fastify';
import type { PlatformContext } from '../context.ts';

/** The pages and routes of trainings. */
export const trainingRoutes: FastifyPluginAsync<PlatformContext> = async () => {};
