import { Interrupted } from '../../base/interrupted.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { feedRun } from '../../shards/queue/feed-run.ts';
import { queuedRun } from '../../shards/queue/queued-run.ts';
import { OtherShards } from '../../shards/work/other-shards.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Sharding } from './make-shards.ts';
import type { Workers } from './start-workers.ts';
import type { OpenedQueue } from './with-queue.ts';

export interface Scoring {
  progress: Progress;
  stop: AbortSignal;
  /** Gives the shards to workers of other machines too. */
  queue: OpenedQueue | undefined;
}

/**
 * Publishes the shards while they are scored, and waits until no worker has anything left to do.
 *
 * @returns the exit codes of the workers of this machine
 * @throws RowcastError as `publishShards` and `feedRun`; Interrupted
 */
export async function untilScored(
  sharding: Sharding,
  workers: Workers,
  { progress, stop, queue }: Scoring,
): Promise<number[]> {
  const shown = showProgress(sharding, workers, progress);
  const ownEnd = new AbortController();
  const scored = queue === undefined ? workers.ended : feed(sharding, workers, queue, { stop, ownEnd });
  scored.catch(() => {}); // awaited below, unless publishing fails
  try {
    await sharding.publish(({ from, to }) =>
      shown.plan(from === null || to === null ? 0 : to.row - from.row),
    );
    shown.planned();
    return await scored;
  } catch (error) {
    workers.stop();
    ownEnd.abort();
    await workers.ended;
    await scored.catch(() => {});
    throw stop.aborted ? new Interrupted(stop) : error;
  } finally {
    shown.close();
  }
}

/** Gives the shards to a queue until they are scored, or all workers of this machine have failed. */
async function feed(
  { folder, plan }: Sharding,
  { ended }: Workers,
  { queue, monitor }: OpenedQueue,
  { stop, ownEnd }: { stop: AbortSignal; ownEnd: AbortController },
): Promise<number[]> {
  const run = queuedRun(folder, plan);
  void ended.then(codes => {
    if (codes.length > 0 && codes.every(code => code !== ExitCode.done)) ownEnd.abort();
  });
  try {
    await feedRun({ folder, queue, run, monitor, stop: AbortSignal.any([stop, ownEnd.signal]) });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  return ended;
}

function showProgress({ folder }: Sharding, workers: Workers, progress: Progress) {
  let planned = 0;
  let isPlanned = false;
  const others = new OtherShards(folder);
  let rows = { read: 0, rejected: 0 };
  const look = setInterval(async () => {
    rows = await others.count(-1).catch(() => rows);
    progress.show(seconds => ({
      cells: [
        isPlanned && planned > 0 ? `${Math.floor((100 * rows.read) / planned)}%` : '',
        `${counted(rows.read)} rows`,
        `${counted(rows.read / seconds)} rows/s`,
        rows.rejected === 0 ? '' : countOf(rows.rejected, 'reject'),
        countOf(workers.running, 'worker'),
      ],
      fields: { rows, workers: workers.running },
    }));
  }, 1_000);
  return {
    plan(rows: number) {
      planned += rows;
    },
    planned() {
      isPlanned = true;
    },
    close: () => clearInterval(look),
  };
}
