import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { KnownRuns } from '../../shards/queue/known-runs.ts';
import type { QueueAddress } from '../../shards/queue/queue-address.ts';
import { type QueuedRun, queuedRun } from '../../shards/queue/shard-queue.ts';
import { type RunEnd, workRun } from '../../shards/queue/work-run.ts';
import { LeaseWatch } from '../../shards/work/see-attempts.ts';
import { absoluteName } from '../../storage/folders.ts';
import type { Context } from '../context.ts';
import { logOfFile } from '../terminal/log.ts';
import { type Joining, joinRun } from './join-run.ts';
import { observeWork, type WatchedWork } from './observe-work.ts';
import { backendsOfFlags } from './store-flags.ts';
import { type OpenedQueue, withQueue } from './with-queue.ts';

/** How often a worker without a run looks for one. */
const POLL_MS = 1_000;

/**
 * Scores shards of all runs of a queue, one at a time, and those of the oldest run first.
 *
 * @param stopWhenEmpty end when no run has shards left
 * @returns the exit code of the first run that this worker could not work on, if it ends by itself
 * @throws Interrupted
 */
export async function workQueue(
  context: Context,
  address: QueueAddress,
  stopWhenEmpty: boolean,
  stop: AbortSignal,
): Promise<number> {
  const watched = observeWork(context);
  try {
    return await withQueue(context, address, async opened => {
      const { queue, monitor } = opened;
      const known = new KnownRuns(backendsOfFlags(context.flags));
      const worker: QueueWorker = { context, opened, watched, known, stop };
      context.log.info(
        { event: 'queue_joined', queue: queue.name },
        `waiting for shards from the queue at ${queue.name}`,
      );
      for (;;) {
        if (stop.aborted) throw new Interrupted(stop);
        const runs = await unlessStopped(
          monitor.call(() => queue.runs()),
          stop,
        );
        let isEmpty = runs !== undefined;
        if (runs !== undefined) known.keep(runs);
        for (const run of runs ?? []) if (await visit(worker, run)) isEmpty = false;
        if (isEmpty && stopWhenEmpty) {
          watched.finished();
          return known.refusal?.exitCode ?? ExitCode.done;
        }
        await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {}); // seen above
      }
    });
  } finally {
    watched.close();
  }
}

/** What a worker of a queue has. */
interface QueueWorker {
  context: Context;
  opened: OpenedQueue;
  watched: WatchedWork;
  known: KnownRuns;
  stop: AbortSignal;
}

/** @returns whether the run may have shards left for this worker */
async function visit(worker: QueueWorker, run: QueuedRun): Promise<boolean> {
  const { known, opened } = worker;
  const withdraw = () => opened.monitor.call(() => opened.queue.withdraw(run));
  try {
    if (!(await known.hasWork(run))) return false;
    const end = await scoreShards(worker, run);
    if (end.kind === 'gone' && (await known.isRemoved(run))) await withdraw();
    return true;
  } catch (error) {
    if (error instanceof RowcastError && error.code === 'cancelled') await withdraw();
    else if (await known.isRemoved(run)) await withdraw();
    else refuse(worker, run, error);
    return false;
  }
}

async function scoreShards(
  { context, opened: { queue, monitor }, watched, known, stop }: QueueWorker,
  run: QueuedRun,
): Promise<RunEnd> {
  const { folder, watch } = known.of(run);
  // A worker may have scored shards of other runs just before.
  const log = logOfFile(context.log, folder.path, { folder: folder.path });
  const mayLeave = async (): Promise<boolean> => {
    const others = (await monitor.call(() => queue.runs()))?.filter(({ key }) => key !== run.key);
    for (const other of others ?? []) if (await known.hasWork(other).catch(() => false)) return true;
    return false;
  };
  const joining = { folder, observer: watched.observe(log, folder), seesInputs: true, stop };
  return joinRun({ ...context, log }, joining, work => {
    known.accept(run);
    log.info({ event: 'run_joined', folder: folder.path }, 'scoring its shards');
    return workRun({ work, queue, run, watch, monitor, mayLeave });
  });
}

/** @throws an error that does not concern the run */
function refuse({ context, known }: QueueWorker, run: QueuedRun, error: unknown): void {
  const { refusal, isNew } = known.refuse(run, error);
  if (!isNew) return;
  const { code, message, hint, location } = refusal;
  const where = location.file === undefined ? '' : `${location.file}: `;
  context.log.error(
    { event: 'run_refused', code, hint, folder: run.folder },
    `${run.folder}: this worker takes no shards of this run: ${where}${message}`,
  );
}

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
