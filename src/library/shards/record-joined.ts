import type { JobValues } from '../../base/options/values/run-values.ts';
import { exitCodeOfRows } from '../../runs/exit-code.ts';
import { type DriftLine, noteDrift } from '../../runs/observers/drift.ts';
import { noteUnknownValues } from '../../runs/observers/unknown-values.ts';
import { RunRecord } from '../../runs/run-record.ts';
import { RunLedger } from '../../runs/several/run-ledger.ts';
import { lastRunOfFile } from '../../runs/several/unchanged-run.ts';
import type { Checksums, Summary } from '../../runs/summary/summary.ts';
import { type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import { type FileParts, type OutputPart, workTimeOf } from '../../shards/assemble/file-parts.ts';
import type { JoinedTally } from '../../shards/assemble/joined-tallies.ts';
import { isSingle, type ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { ShardedRun } from '../../shards/folder/read-run.ts';
import { keepJoined } from '../../shards/reuse/planned-reuse.ts';
import { type Backends, sha256Of } from '../../storage/backends.ts';
import { namesOf } from '../runs-of.ts';

type Rows = Pick<RowCounts, 'read' | 'rejected'>;

export interface Joined {
  run: ShardedRun;
  values: JobValues;
  backends: Backends;
  files: readonly FileParts[];
  counts: JoinedTally;
  /** Called with what has changed most since the run of --compare. */
  onDrift?: ((line: DriftLine) => void) | undefined;
}

/** Writes the summary of a run whose outputs are complete, as if one process had scored them. */
export async function recordJoined(record: RunRecord, joined: Joined): Promise<Summary> {
  const { values, files, counts } = joined;
  const [first] = files;
  const all = files.flatMap(({ parts }) => parts);
  addWork(record, all);
  const { unchanged } = joined.run.plan;
  if (isSingle(joined.run.plan) && first !== undefined) {
    await fill(record, joined, first);
    record.columnsOf = () => counts.columns.get(0);
  } else {
    const rowCounts = sumOf(files.map(file => file.rowCounts));
    const runs: Summary[] = [];
    const columns = new Map<string, ReturnType<RunRecord['columnsOf']>>();
    for (const file of files) {
      const summary = await summaryOfFile(joined, file);
      runs.push(summary);
      columns.set(summary.run_id, counts.columns.get(file.index));
    }
    const { ledger } = joined.run.plan;
    const finished = ledger && new RunLedger(ledger.folder, joined.backends);
    await finished?.read().catch(() => {}); // what is not known is left out
    for (const file of unchanged) {
      const names = namesOf({ ...values, output: file.output, rejects: file.rejects ?? undefined }, [
        file.input,
      ]);
      const skipped = new RunRecord({ names });
      const last = finished?.finished(file.output);
      if (last !== undefined) skipped.last = lastRunOfFile(last, names);
      runs.push(await skipped.end('skipped', exitCodeOfRows(values, file.rows)));
    }
    record.columnsOf = id => columns.get(id);
    record.files = () => ({ rowCounts, runs });
    record.figures = () => counts.total;
    record.rowCounts = rowCounts;
  }
  const drift = noteDrift(record);
  if (drift !== undefined) joined.onDrift?.(drift);
  // Running a command again does not turn rejected rows into a success.
  const code = exitCodeOfRows(values, unchanged.map(({ rows }) => rows).reduce(added, record.rowCounts));
  return record.end(files.length === 0 ? 'skipped' : 'finished', code);
}

const added = <T extends Rows>(total: T, { read, rejected }: Rows): T => ({
  ...total,
  read: total.read + read,
  rejected: total.rejected + rejected,
});

/** The part of an input in the summary of several. */
async function summaryOfFile(joined: Joined, file: FileParts): Promise<Summary> {
  const { values } = joined;
  const { input, output, rejects } = file.file;
  const record = new RunRecord({
    names: namesOf({ ...values, output, rejects: rejects ?? undefined }, [input]),
  });
  addWork(record, file.parts);
  await fill(record, joined, file);
  return record.end('finished', exitCodeOfRows(values, file.rowCounts));
}

/** Adds the time of the workers to that of the process that joins their parts. */
function addWork(record: RunRecord, parts: readonly OutputPart[]): void {
  const { startedAt, seconds, rows } = workTimeOf(parts.map(({ result }) => result));
  record.others = { seconds, rows };
  const { attempt } = record;
  if (startedAt !== undefined && startedAt < attempt.runStartedAt)
    record.attempt = { ...attempt, runStartedAt: startedAt };
}

async function fill(record: RunRecord, joined: Joined, file: FileParts): Promise<void> {
  const { run, values, counts } = joined;
  const figures = counts.figures.get(file.index);
  record.ready({ name: run.plan.service, protocol: run.plan.protocol });
  record.predictionType = run.plan.predictionType;
  record.rowCounts = file.rowCounts;
  record.figures = () => figures;
  if (values.checksum) record.checksums = await checksumsOf(joined, file);
  await keepJoined(record, file, joined.backends);
  noteUnknownValues(record);
}

/** A run with --limit does not read its input to the end. */
async function checksumsOf({ values, backends }: Joined, { file }: FileParts): Promise<Checksums> {
  const input = values.limit === undefined ? await sha256Of(file.input, backends) : null;
  return { input, output: await sha256Of(file.output, backends) };
}

/**
 * Records the outputs of several inputs, so that a later command skips those that have not changed since.
 *
 * @throws RowcastError `unwritable_output`, `locked`
 */
export async function recordFinished(
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
