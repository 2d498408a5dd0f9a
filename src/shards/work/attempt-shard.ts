import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { rejectBudget } from '../../runs/guards/reject-budget.ts';
import type { RunObserver, RunProgress } from '../../runs/observer.ts';
import { RunControl } from '../../runs/run-control.ts';
import type { Scorer, TraceBatch } from '../../scoring/scorer.ts';
import type { Backends } from '../../storage/backends.ts';
import { thisProcess } from '../../storage/local/locks/lock-holder.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName, failedName, PLAN } from '../folder/names.ts';
import { isStored } from '../folder/part-output.ts';
import type { PlanFile, Shard, ShardPlan } from '../folder/plan-shape.ts';
import type { ShardFailure, ShardResult } from '../folder/result-shape.ts';
import type { WorkerPace } from '../pace/pace-member.ts';
import { inheritPart, removePart } from './inherit-part.ts';
import { Lease } from './lease.ts';
import { type ScoredShard, scoreShard } from './score-shard.ts';
import type { OtherShards } from './see-attempts.ts';

/** A worker and what it works with. */
export interface Work {
  folder: SharedFolder;
  plan: ShardPlan;
  /** The options of the plan, with the service and pace options of this worker. */
  options: Omit<RunValues, 'input'>;
  scorer: Scorer;
  /** Tells the workers of a run apart. */
  worker: string;
  /** Whether somebody asked for these shards, instead of any. */
  isChosen: boolean;
  /** Has a share while a shard is scored. */
  sharedPace?: Pick<WorkerPace, 'join' | 'leave'> | undefined;
  others: OtherShards;
  observer: WorkObserver;
  /** Aborted by a signal. */
  stop: AbortSignal;
  /**
   * Backends of the names of its files, if not the default ones. Leases alone decide who writes a part, so an object
   * may be taken over at any time.
   */
  backends?: Backends | undefined;
}

/** A part by its path or URL. */
export interface BegunPart {
  attempt: number;
  path: string;
}

export interface ShardAttempt {
  shard: Shard;
  file: PlanFile;
  attempt: number;
  /** The part to write, and the attempt that began it. */
  part: BegunPart;
  /** The part of an earlier attempt of which to go on with a copy. */
  from: string | undefined;
  /** The row at which it goes on. */
  row: number;
}

/**
 * Scores a shard, unless another worker is faster.
 *
 * @returns whether this worker had the shard
 * @throws RowcastError unless it concerns the input of this shard, or its part; `cancelled`
 * @throws Interrupted by a signal
 */
export async function attemptShard(work: Work, own: ShardAttempt): Promise<boolean> {
  const { folder, plan, options, scorer, worker, others, observer: on, stop } = work;
  const { shard, file, attempt, part, from, row } = own;
  const number = shard.shard;
  const figures = { row, read: 0, rejected: 0 };
  // Shards that this worker has finished count among the others.
  const budget = rejectBudget(options.maxRejects);
  const countOthers = async (): Promise<void> => {
    if (options.maxRejects !== undefined) budget.setOthers(await others.count(number));
  };
  const holder = { worker, ...thisProcess(), row };
  const lease = await Lease.take({
    folder,
    attempt,
    holder,
    shard: number,
    figures: () => figures,
    onHeartbeat: countOthers,
  });
  if (lease === undefined) return false;
  const lose = async (): Promise<void> => {
    // An object may belong to another attempt by now; it is removed with the folder.
    if (!isStored(part.path)) await removePart(part.path);
    on.onLost?.(shard);
  };
  on.onTake?.(shard, attempt, row);
  const startedAt = new Date();
  const control = new RunControl(stop);
  // Nobody waits for the rows of a lease that is lost.
  const abandon = (): void => control.abandon(lease.ended.reason);
  if (lease.ended.aborted) abandon();
  else lease.ended.addEventListener('abort', abandon);
  try {
    await work.sharedPace?.join();
    await countOthers();
    if (from !== undefined) await inheritPart(from, part.path, options.private);
    const leaseFigures: RunObserver = {
      progress(now) {
        const { read, rejected } = now.rowCounts;
        Object.assign(figures, { read, rejected, row: now.resumePoint()?.row ?? row });
        on.onProgress?.(shard, now);
      },
    };
    const use = (traceBatch: TraceBatch | undefined): Promise<ScoredShard> =>
      scoreShard({
        reportHash: plan.report.hash,
        predictionType: plan.predictionType,
        shard,
        file,
        part: part.path,
        options,
        scorer,
        budget,
        observers: [leaseFigures, { traceBatch }],
        control,
        backends: work.backends,
      });
    const scored = await (on.within?.({ shard, attempt }, use) ?? use(undefined));
    const result: ShardResult = {
      plan: plan.id,
      shard: number,
      attempt: part.attempt,
      worker,
      ...scored,
      started_at: startedAt.toISOString(),
      finished_at: new Date().toISOString(),
      rows_before: row - (shard.from?.row ?? 1),
    };
    if (await folder.create(doneName(number), JSON.stringify(result))) on.onDone?.(shard, result);
    else await lose();
  } catch (error) {
    if ((error instanceof Interrupted && lease.ended.reason === 'lost') || isTakenOver(error, part))
      await lose();
    else await endEarly(error, work, own, lease);
  } finally {
    lease.ended.removeEventListener('abort', abandon);
    control.end();
    await lease.close();
  }
  return true;
}

/** @throws unless the error concerns the input of this shard, or its part */
async function endEarly(
  error: unknown,
  work: Work,
  { shard, file, attempt, part }: ShardAttempt,
  lease: Lease,
): Promise<void> {
  const { reason } = lease.ended;
  // The run was assembled without this attempt, or discarded.
  if ((await work.folder.read(PLAN)) === undefined) return work.observer.onLost?.(shard);
  const isFailure = error instanceof RowcastError;
  // Another attempt may succeed without a change, so this one does not count.
  const isFault = isFailure && !error.retryable;
  // A folder that cannot be written must not hide the error.
  await lease.giveBack(isFault ? { code: error.code, message: error.message } : null).catch(() => {});
  if (isFault && isDamaged(part.path, error)) {
    // The next attempt goes on only with what is whole.
    error.hint = 'Another program modified it. The shard is scored again: run the same command again.';
    if (!work.isChosen) return work.observer.onFailed?.(shard, error);
  }
  if (isFault && error.location.file === file.input) {
    if (!work.isChosen) return work.observer.onFailed?.(shard, error);
    await giveUp(work.folder, shard.shard, {
      attempts: attempt,
      error: { code: error.code, message: error.message },
    });
  }
  if (!(error instanceof Interrupted) || work.stop.aborted) throw error;
  throw reason === 'cancelled' ? cancelled(work.folder) : reason;
}

const DAMAGE = ['partial_too_short', 'partial_damaged', 'output_lost'];

/** Whether another process writes the part by now. */
const isTakenOver = (error: unknown, { path }: BegunPart): boolean =>
  isStored(path) && error instanceof RowcastError && error.code === 'locked' && error.location.file === path;

/** Whether the part of an attempt, or that of its rejects, is not what was written. */
const isDamaged = (part: string, { code, location }: RowcastError): boolean =>
  DAMAGE.includes(code) && location.file?.startsWith(part) === true;

export const cancelled = ({ path }: Pick<SharedFolder, 'path'>): RowcastError =>
  new RowcastError('cancelled', 'the run was cancelled', {
    severity: 'stopped',
    location: { file: path },
    hint: 'What is finished is kept: the command that planned the run resumes it.',
  });

/** Records that a shard is not tried again, unless somebody asks for it. */
export async function giveUp(
  folder: SharedFolder,
  shard: number,
  failure: Omit<ShardFailure, 'shard'>,
): Promise<void> {
  await folder.create(failedName(shard), JSON.stringify({ shard, ...failure }));
}

/** What happens to the shards of a worker. */
export interface WorkObserver {
  onTake?: (shard: Shard, attempt: number, row: number) => void;
  /** Called with the scoring of a shard, to be done within something. @param use its parameter traces batches */
  within?: (
    attempt: { shard: Shard; attempt: number },
    use: (traceBatch: TraceBatch | undefined) => Promise<ScoredShard>,
  ) => Promise<ScoredShard>;
  onProgress?: (shard: Shard, progress: RunProgress) => void;
  onDone?: (shard: Shard, result: ShardResult) => void;
  /** Another worker has finished the shard, or has taken it over. */
  onLost?: (shard: Shard) => void;
  /** An error of the shard's input, which may not be that of other shards. */
  onFailed?: (shard: Shard, error: RowcastError) => void;
}
