import type { FastifyRequest } from 'fastify';
import type { PlatformContext } from '../context.ts';
import type { Watched } from '../events/watched.ts';
import type { Space } from '../quota/space.ts';
import type { Runs } from './runs.ts';
import type { StoredProgress } from './stored-run.ts';

/** What the routes of runs share. */
export interface RunContext extends PlatformContext {
  runs: Runs;
  space: Space;
  /** The run that a request names. @throws RequestError `no_such_run`, also if its key may not see it */
  runOf(request: FastifyRequest): Promise<Watched<StoredProgress>>;
}
