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

export interface QueueWork {
  address: QueueAddress;
  /** End when no run has shards left. */
  stopWhenEmpty: boolean;
  stop: AbortSignal;
}

/**
 * Scores shards of all runs of a queue, one at a time, and those of the oldest run first.
 *
 * @returns the exit code of the first run that this worker could not work on, if it ends by itself
 * @throws Interrupted
 */
export async function workQueue(
  context: Context,
  { address, stopWhenEmpty, stop }: QueueWork,
): Promise<number> {
  const { log } = context;
  const watched = observeWork(context);
  try {
    return await withQueue(context, address, async opened => {
      const { queue, monitor } = opened;
      const worker = new QueueWorker(context, opened, watched, stop);
      log.info(
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
        if (runs !== undefined) worker.keep(runs);
        for (const run of runs ?? []) if (await worker.visit(run)) isEmpty = false;
        if (isEmpty && stopWhenEmpty) {
          watched.finished();
          return worker.refusal?.exitCode ?? ExitCode.done;
        }
        await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {}); // seen above
      }
    });
  } finally {
    watched.close();
  }
}

class QueueWorker {
  readonly #context: Context;
  readonly #opened: OpenedQueue;
  readonly #watched: WatchedWork;
  readonly #stop: AbortSignal;
  readonly #runs: KnownRuns;

  constructor(context: Context, opened: OpenedQueue, watched: WatchedWork, stop: AbortSignal) {
    this.#context = context;
    this.#opened = opened;
    this.#watched = watched;
    this.#stop = stop;
    this.#runs = new KnownRuns(backendsOfFlags(context.flags));
  }

  /** The first error that keeps this worker from a run of the queue. */
  get refusal(): RowcastError | undefined {
    return this.#runs.refusal;
  }

  /** @param runs those of the queue */
  keep(runs: readonly QueuedRun[]): void {
    this.#runs.keep(runs);
  }

  /** @returns whether the run may have shards left for this worker */
  async visit(run: QueuedRun): Promise<boolean> {
    const { queue, monitor } = this.#opened;
    try {
      if (!(await this.#runs.hasWork(run))) return false;
      const end = await this.#work(run);
      if (end.kind === 'gone' && (await this.#runs.isRemoved(run)))
        await monitor.call(() => queue.withdraw(run));
      return true;
    } catch (error) {
      if (error instanceof RowcastError && error.code === 'cancelled')
        await monitor.call(() => queue.withdraw(run));
      else if (await this.#runs.isRemoved(run)) await monitor.call(() => queue.withdraw(run));
      else this.#refuse(run, error);
      return false;
    }
  }

  async #work(run: QueuedRun): Promise<RunEnd> {
    const { queue, monitor } = this.#opened;
    const { folder, watch } = this.#runs.of(run);
    // A worker may have scored shards of other runs just before.
    const log = logOfFile(this.#context.log, folder.path, { folder: folder.path });
    const observer = this.#watched.observe(log, folder);
    const mayLeave = async (): Promise<boolean> => {
      const others = (await monitor.call(() => queue.runs()))?.filter(({ key }) => key !== run.key);
      for (const other of others ?? []) if (await this.#runs.hasWork(other).catch(() => false)) return true;
      return false;
    };
    const joining = { folder, observer, seesInputs: true, stop: this.#stop };
    return joinRun({ ...this.#context, log }, joining, work => {
      this.#runs.accept(run);
      log.info({ event: 'run_joined', folder: folder.path }, 'scoring its shards');
      return workRun({ work, queue, run, watch, monitor, mayLeave });
    });
  }

  /** @throws an error that does not concern the run */
  #refuse(run: QueuedRun, error: unknown): void {
    const { refusal, isNew } = this.#runs.refuse(run, error);
    if (!isNew) return;
    const { code, message, hint, location } = refusal;
    const where = location.file === undefined ? '' : `${location.file}: `;
    this.#context.log.error(
      { event: 'run_refused', code, hint, folder: run.folder },
      `${run.folder}: this worker takes no shards of this run: ${where}${message}`,
    );
  }
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
