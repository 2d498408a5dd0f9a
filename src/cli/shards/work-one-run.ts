import type { QueueAddress } from '../../shards/queue/queue-address.ts';
import { queuedRun } from '../../shards/queue/shard-queue.ts';
import { workRun } from '../../shards/queue/work-run.ts';
import { LeaseWatch } from '../../shards/work/see-attempts.ts';
import { absoluteName } from '../../storage/folders.ts';
import type { Context } from '../context.ts';
import { type Joining, joinRun } from './join-run.ts';
import { withQueue } from './with-queue.ts';

/**
 * Scores the shards of one run that a queue gives out, until none is left.
 *
 * @returns those that were given up
 * @throws RowcastError as `withQueue`, `joinRun` and `workRun`
 */
export const workOneRun = (context: Context, joining: Joining, address: QueueAddress): Promise<number[]> =>
  withQueue(context, address, opened =>
    joinRun(context, joining, async work => {
      const { folder, plan } = work;
      const run = queuedRun({ path: absoluteName(folder.path) }, plan);
      const watch = new LeaseWatch(folder);
      const end = await workRun({ work, ...opened, run, watch, mayLeave: async () => false });
      return end.kind === 'over' ? end.failed : [];
    }),
  );
