import { checkRejectLimit } from '../../base/options/values/reject-limit.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { reasonOf } from '../../base/system-error.ts';
import { exitCodeOfRows } from '../../runs/exit-code.ts';
import { checkLeastRows, leastRows } from '../../runs/guards/reject-budget.ts';
import { holdRun } from '../../runs/held-run.ts';
import type { LockedTargets } from '../../runs/observer.ts';
import { type DriftLine, noteDrift } from '../../runs/observers/drift.ts';
import { noteUnknownValues } from '../../runs/observers/unknown-values.ts';
import { type LockedPaths, lockRunPaths, Releases } from '../../runs/paths/lock-paths.ts';
import type { RunJob } from '../../runs/run.ts';
import type { RunControl } from '../../runs/run-control.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import { RunLedger } from '../../runs/several/run-ledger.ts';
import { lastRunOfFile } from '../../runs/several/unchanged-run.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import { endOfOutput, rejectsHeaderOf } from '../../shards/assemble/around-parts.ts';
import { checkParts } from '../../shards/assemble/check-complete.ts';
import {
  type FileParts,
  filePartsOf,
  type OutputPart,
  workTimeOf,
} from '../../shards/assemble/file-parts.ts';
import { joinFile, SAVE_BYTES } from '../../shards/assemble/join-file.ts';
import type { JoinedTally } from '../../shards/assemble/joined-tallies.ts';
import {
  checkSpace,
  type PendingFile,
  pendingFile,
  type SpaceNeed,
  spaceNeeded,
} from '../../shards/assemble/pending-parts.ts';
import { isSingle, type ShardPlan } from '../../shards/folder/plan-shape.ts';
import { readPlan, type ShardedRun } from '../../shards/folder/read-run.ts';
import { keepJoined } from '../../shards/reuse/planned-reuse.ts';
import { type Backends, sha256Of } from '../../storage/backends.ts';
import { diskFiles, type Files } from '../../storage/durable-files.ts';
import { namesOf } from '../runs-of.ts';
import { lockTotal } from '../several/plan-files.ts';

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
  tracker: RunTracker;
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
  const { job, run, tracker, control } = options;
  const held = holdRun(tracker, control);
  try {
    const files = await held.lock(lockOutputs(job, run));
    await tracker.begin(files, job.values.restart);
    return await tracker.within(() => assemble(options, files.locked));
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
  const { run, values, tracker, workCommand, files = diskFiles, saveBytes = SAVE_BYTES } = options;
  const { folder, plan } = run;
  const { backends } = options.job;
  // Another process may have finished while this one waited for the locks.
  await readPlan(folder);
  tracker.ready({ name: plan.service, protocol: plan.protocol });
  tracker.predictionType = plan.predictionType;
  const joined = filePartsOf(run);
  checkRejectLimit(values.maxRejects, sumOf(joined.map(({ rowCounts }) => rowCounts)), true);
  const rowsOf = [...joined.map(({ rowCounts }) => rowCounts), ...plan.unchanged.map(({ rows }) => rows)];
  checkLeastRows(
    leastRows(values.minRows, tracker.last, warning => tracker.note(warning)),
    sum(rowsOf.map(({ read }) => read)),
  );
  const counts = await options.count(joined);
  const pending: PendingFile[] = [];
  for (const [i, file] of joined.entries())
    pending.push(await pendingFile({ folder, plan, files }, file, locked[i] as LockedPaths));
  for (const { parts } of pending) await checkParts(folder, { files, backends }, parts, workCommand);
  const needs = await spaceNeeded(pending);
  const parts = sum(pending.map(file => file.parts.length));
  if (parts > 0) options.onSpace?.(parts, needs);
  checkSpace(needs);
  const sizes = joined.map(({ parts }) => sum(parts.map(({ result }) => result.output.bytes)));
  const all = sum(sizes);
  let before = 0;
  for (const [i, { file, locked: paths }] of pending.entries()) {
    await joinFile(file, {
      folder,
      plan,
      locked: paths,
      attempt: tracker.attempt,
      rejectsHeader: await rejectsHeaderOf(file, values, backends),
      end: await endOfOutput(file, values, backends),
      private: values.private,
      files,
      backends,
      saveBytes,
      onBegin: now => {
        if (isSingle(plan)) tracker.attempt = now;
      },
      onJoined: bytes => options.onJoined?.(before + bytes, all),
      stop: options.control.signal,
    });
    before += sizes[i] ?? 0;
  }
  const summary = await endJoined(options, joined, counts);
  await recordFinished(plan, summary, backends).catch(error => options.onUnrecorded?.(reasonOf(error)));
  return summary;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Writes the summary of a run whose outputs are complete, as if one process had scored them. */
async function endJoined(
  options: AssembleOptions,
  files: readonly FileParts[],
  counts: JoinedTally,
): Promise<Summary> {
  const { tracker, values, job } = options;
  const { plan } = options.run;
  const [first] = files;
  addWork(
    tracker,
    files.flatMap(({ parts }) => parts),
  );
  if (isSingle(plan) && first !== undefined) {
    await fill(tracker, options, first, counts);
    tracker.columnsOf = () => counts.columns.get(0);
  } else {
    const rowCounts = sumOf(files.map(file => file.rowCounts));
    const runs: Summary[] = [];
    const columns = new Map<string, ReturnType<RunTracker['columnsOf']>>();
    for (const file of files) {
      const own = new RunTracker({ names: namesOfFile(values, file.file) });
      addWork(own, file.parts);
      await fill(own, options, file, counts);
      const summary = await own.end('finished', exitCodeOfRows(values, file.rowCounts));
      runs.push(summary);
      columns.set(summary.run_id, counts.columns.get(file.index));
    }
    const finished = plan.ledger && new RunLedger(plan.ledger.folder, job.backends);
    await finished?.read().catch(() => {}); // what is not known is left out
    for (const file of plan.unchanged) {
      const names = namesOfFile(values, file);
      const skipped = new RunTracker({ names });
      const last = finished?.finished(file.output);
      if (last !== undefined) skipped.last = lastRunOfFile(last, names);
      runs.push(await skipped.end('skipped', exitCodeOfRows(values, file.rows)));
    }
    tracker.columnsOf = id => columns.get(id);
    tracker.files = () => ({ rowCounts, runs });
    tracker.figures = () => counts.total;
    tracker.rowCounts = rowCounts;
  }
  const drift = noteDrift(tracker);
  if (drift !== undefined) options.onDrift?.(drift);
  // Running a command again does not turn rejected rows into a success.
  const code = exitCodeOfRows(
    values,
    plan.unchanged.map(({ rows }) => rows).reduce(added, tracker.rowCounts),
  );
  return tracker.end(files.length === 0 ? 'skipped' : 'finished', code);
}

const namesOfFile = (
  values: JobValues,
  { input, output, rejects }: Pick<ShardPlan['files'][number], 'input' | 'output' | 'rejects'>,
) => namesOf({ ...values, output, rejects: rejects ?? undefined }, [input]);

const added = <T extends Pick<RowCounts, 'read' | 'rejected'>>(
  total: T,
  { read, rejected }: Pick<RowCounts, 'read' | 'rejected'>,
): T => ({ ...total, read: total.read + read, rejected: total.rejected + rejected });

/** Adds the time of the workers to that of the process that joins their parts. */
function addWork(tracker: RunTracker, parts: readonly OutputPart[]): void {
  const { startedAt, seconds, rows } = workTimeOf(parts.map(({ result }) => result));
  tracker.others = { seconds, rows };
  const { attempt } = tracker;
  if (startedAt !== undefined && startedAt < attempt.runStartedAt)
    tracker.attempt = { ...attempt, runStartedAt: startedAt };
}

async function fill(
  tracker: RunTracker,
  { run: { plan }, values, job }: AssembleOptions,
  parts: FileParts,
  counts: JoinedTally,
): Promise<void> {
  const { file, index, rowCounts } = parts;
  const figures = counts.figures.get(index);
  tracker.ready({ name: plan.service, protocol: plan.protocol });
  tracker.predictionType = plan.predictionType;
  tracker.rowCounts = rowCounts;
  tracker.figures = () => figures;
  // A run with --limit does not read its input to the end.
  const input =
    values.checksum && values.limit === undefined ? await sha256Of(file.input, job.backends) : null;
  if (values.checksum) tracker.checksums = { input, output: await sha256Of(file.output, job.backends) };
  await keepJoined(tracker, parts, job.backends);
  noteUnknownValues(tracker);
}

/**
 * Records the outputs of several inputs, so that a later command skips those that have not changed since.
 *
 * @throws RowcastError `unwritable_output`, `locked`
 */
async function recordFinished(
  { files, ledger }: ShardPlan,
  summary: Summary,
  among: Backends,
): Promise<void> {
  if (ledger === null) return;
  const { folder, options } = ledger;
  const finished = new RunLedger(folder, among);
  for (const [i, { run_id, exit_code, rows }] of [...(summary.runs ?? [summary])].entries()) {
    const file = files[i];
    if (file === undefined) continue;
    const { input, output, rejects, size, modified, etag } = file;
    const { read, rejected } = rows;
    const entry = { run_id, exit_code: exit_code ?? 0, rows: { read, rejected } };
    await finished.add({ input, output, rejects: rejects ?? undefined, options }, entry, {
      size,
      modified,
      ...(etag !== undefined && { etag }),
    });
  }
  await finished.flush();
}
