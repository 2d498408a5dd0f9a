import { plannedJob, plannedValues } from '../../../src/library/shards/assemble-job.ts';
import { type AssembleOptions, assembleRun } from '../../../src/library/shards/assemble-run.ts';
import type { Summary } from '../../../src/runs/summary/summary.ts';
import { noCounts } from '../../../src/shards/assemble/joined-counts.ts';
import { removeFolder } from '../../../src/shards/assemble/remove-folder.ts';
import { readRun } from '../../../src/shards/folder/read-run.ts';
import { sharedFolder } from '../../../src/shards/folder/shared-folder.ts';
import type { Files } from '../../../src/storage/local/durable-files.ts';

/** Assembles in this process, with a checkpoint after each part. */
export async function assembleHere(
  path: string,
  files?: Files,
  onJoined?: AssembleOptions['onJoined'],
): Promise<Summary> {
  const folder = sharedFolder(path);
  const run = await readRun(folder);
  const values = plannedValues(run.plan, {});
  const { signal: stop } = new AbortController();
  const summary = await assembleRun({
    ...{ run, values, job: plannedJob(run.plan, values, []), count: async () => noCounts, stop },
    ...{ workCommand: String, saveBytes: 1, ...(files && { files }), ...(onJoined && { onJoined }) },
  });
  await removeFolder(folder, summary.exit_code ?? 0);
  return summary;
}
