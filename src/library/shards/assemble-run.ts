import { checkRejectLimit } from '../../base/options/values/reject-limit.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { Attempt } from '../../runs/attempt.ts';
import { checkLeastRows, leastRows } from '../../runs/guards/min-rows.ts';
import { HeldRun } from '../../runs/held-run.ts';
import type { LockedTargets } from '../../runs/observer.ts';
import type { DriftLine } from '../../runs/observers/drift.ts';
import { type LockedPaths, lockRunPaths, Releases } from '../../runs/paths/lock-paths.ts';
import type { RunJob } from '../../runs/run.ts';
import type { RunControl } from '../../runs/run-control.ts';
import type { RunRecord } from '../../runs/run-record.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { sumOf } from '../../scoring/row-counts.ts';
import { endOfOutput, rejectsHeaderOf } from '../../shards/assemble/around-parts.ts';
import { checkParts } from '../../shards/assemble/check-complete.ts';
import { type FileParts, filePartsOf } from '../../shards/assemble/file-parts.ts';
import { joinFile, SAVE_BYTES } from '../../shards/assemble/join-file.ts';
import type { JoinedTally } from '../../shards/assemble/joined-tallies.ts';
import {
  checkSpace,
  type PendingFile,
  pendingFile,
  type SpaceNeed,
  spaceNeeded,
} from '../../shards/assemble/pending-parts.ts';
import { isSingle } from '../../shards/folder/plan-shape.ts';
import { readPlan, type ShardedRun } from '../../shards/folder/read-run.ts';
import { diskFiles, type Files } from '../../storage/durable-files.ts';
import { lockTotal } from '../several/plan-files.ts';
import { recordFinished, recordJoined } from './record-joined.ts';

export interface AssembleOptions {
  /** All its shards have a result. */
  run: ShardedRun;
  /** The options of the plan. */
  values: JobValues & { report: string };
  job: RunJob;
  /** Adds up what was counted in the data. */
  count: (files: readonly FileParts[]) => Promise<JoinedTally>;
  /** The command that scores a shard. */
  workCommand: (shard: number) => string;
  record: RunRecord;
  control: RunControl;
  /** Called before anything is joined. */
  onSpace?: (parts: number, needs: readonly SpaceNeed[]) => void;
  /** Called with how many bytes of the outputs are there, and how many there will be. */
  onJoined?: (bytes: number, all: number) => void;
  onDrift?: (line: DriftLine) => void;
  /** Called with the reason if the finished runs of several inputs cannot be recorded. */
  onUnrecorded?: (reason: string) => void;
  files?: Files;
  /** See `joinFile`. */
  saveBytes?: number;
}

interface HeldFiles extends LockedTargets {
  locked: readonly LockedPaths[];
  release(): Promise<void>;
}

/**
 * Joins the parts of a sharded run into its outputs, and writes its summary.
 *
 * @throws RowcastError `unfinished_shards`, `disk_full`, `unbalanced`, `too_many_rejects`, and as `joinFile`;
 *   Interrupted
 */
export async function assembleRun(options: AssembleOptions): Promise<Summary> {
  const { job, run, record, control } = options;
  const held = new HeldRun(record, control);
  try {
    const files = await held.lock(lockOutputs(job, run));
    await record.begin(files, job.values.restart);
    return await record.within(() => assemble(options, files.locked));
  } catch (error) {
    throw await held.failed(error);
  } finally {
    await held.release();
  }
}

async function lockOutputs(job: RunJob, { plan }: ShardedRun): Promise<HeldFiles> {
  const held = new Releases();
  const { summary, release } = await lockTotal(job);
  held.add(release);
  const { private: isPrivate, reads } = job.paths;
  const { backends } = job;
  const locked: LockedPaths[] = [];
  try {
    for (const { input, output, rejects: given } of plan.files) {
      const rejects = given ?? undefined;
      const paths = await lockRunPaths({ input, output, rejects, private: isPrivate, reads, backends });
      held.add(() => paths.release());
      locked.push(paths);
    }
  } catch (error) {
    await held.release().catch(() => {}); // the first error is reported
    throw error;
  }
  const [only] = locked;
  return {
    summary,
    locked,
    release: () => held.release(),
    ...(isSingle(plan) && only && { output: only.output }),
  };
}

async function assemble(options: AssembleOptions, locked: readonly LockedPaths[]): Promise<Summary> {
  const {
    run,
    values,
    record,
    control,
    workCommand,
    onSpace,
    files = diskFiles,
    saveBytes = SAVE_BYTES,
  } = options;
  const { folder, plan } = run;
  const { backends } = options.job;
  const { signal: stop } = control;
  // Another process may have finished while this one waited for the locks.
  await readPlan(folder);
  record.ready({ name: plan.service, protocol: plan.protocol });
  record.predictionType = plan.predictionType;
  const joined = filePartsOf(run);
  checkRejectLimit(values.maxRejects, sumOf(joined.map(({ rowCounts }) => rowCounts)), true);
  const rowsOf = [...joined.map(({ rowCounts }) => rowCounts), ...plan.unchanged.map(({ rows }) => rows)];
  const read = rowsOf.reduce((sum, rows) => sum + rows.read, 0);
  checkLeastRows(
    leastRows(values.minRows, record.last, warning => record.note(warning)),
    read,
  );
  const counts = await options.count(joined);
  const pending: PendingFile[] = [];
  for (const [i, file] of joined.entries())
    pending.push(await pendingFile({ folder, plan, files }, file, locked[i] as LockedPaths));
  for (const { parts } of pending) await checkParts(folder, { files, backends }, parts, workCommand);
  const needs = await spaceNeeded(pending);
  const parts = pending.reduce((sum, file) => sum + file.parts.length, 0);
  if (parts > 0) onSpace?.(parts, needs);
  checkSpace(needs);
  const sizes = joined.map(({ parts }) => parts.reduce((sum, { result }) => sum + result.output.bytes, 0));
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  let before = 0;
  for (const [i, { file, locked: paths }] of pending.entries()) {
    const { attempt } = record;
    const rejectsHeader = await rejectsHeaderOf(file, values, backends);
    const end = await endOfOutput(file, values, backends);
    const onJoined = (bytes: number): void => options.onJoined?.(before + bytes, all);
    const how = {
      folder,
      plan,
      attempt,
      rejectsHeader,
      end,
      private: values.private,
      files,
      backends,
      saveBytes,
      onJoined,
      stop,
    };
    const onBegin = (now: Attempt): void => {
      if (isSingle(plan)) record.attempt = now;
    };
    await joinFile(file, { ...how, locked: paths, onBegin });
    before += sizes[i] ?? 0;
  }
  const { onDrift } = options;
  const summary = await recordJoined(record, { run, values, backends, files: joined, counts, onDrift });
  await recordFinished(plan, summary, backends).catch(error => options.onUnrecorded?.(reasonOf(error)));
  return summary;
}
