import { resultFiles } from '../../../src/library/result-files.ts';
import { plannedJob, plannedValues } from '../../../src/library/shards/assemble-job.ts';
import { type AssembleOptions, assembleRun } from '../../../src/library/shards/assemble-run.ts';
import { RunControl } from '../../../src/runs/run-control.ts';
import { RunTracker } from '../../../src/runs/run-tracker.ts';
import type { Summary } from '../../../src/runs/summary/summary.ts';
import { removeFolder } from '../../../src/shards/assemble/join-state.ts';
import { noTallies } from '../../../src/shards/assemble/joined-tallies.ts';
import { openFolder } from '../../../src/shards/folder/names.ts';
import { readRun } from '../../../src/shards/folder/read-run.ts';
import type { Backends } from '../../../src/storage/backends.ts';
import type { Files } from '../../../src/storage/durable-files.ts';

/** Assembles in this process, with a checkpoint after each part. */
export async function assembleHere(
  path: string,
  files?: Files,
  onJoined?: AssembleOptions['onJoined'],
  backends?: Backends,
): Promise<Summary> {
  const folder = openFolder(path, backends);
  const run = await readRun(folder);
  const values = plannedValues(run.plan, {});
  const planned = plannedJob(run.plan, values, []);
  const job =
    backends === undefined ? planned : { ...planned, backends, paths: { ...planned.paths, backends } };
  const control = new RunControl();
  const tracker = new RunTracker({ names: job.names, observers: resultFiles(job), control });
  const summary = await assembleRun({
    run,
    values,
    job,
    tracker,
    control,
    count: async () => noTallies,
    workCommand: String,
    saveBytes: 1,
    ...(files && { files }),
    ...(onJoined && { onJoined }),
  });
  await removeFolder(folder, summary.exit_code ?? 0);
  return summary;
}
