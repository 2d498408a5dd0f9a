import { RowcastError } from '../../base/errors.ts';
import { discardUnfinished } from '../../runs/status/discard-run.ts';
import { readStatus } from '../../runs/status/status.ts';
import { SHARDS_OPTION } from '../../shards/assemble/join-state.ts';
import { PLAN } from '../../shards/folder/names.ts';
import type { PlanFile } from '../../shards/folder/plan-shape.ts';
import { readPlan } from '../../shards/folder/read-run.ts';
import { aliveAttempt, lastAttempts } from '../../shards/status/read-progress.ts';
import type { Backends } from '../../storage/backends.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';

/**
 * Removes a sharded run with everything that its workers have scored, and outputs that are half joined.
 *
 * @throws RowcastError `locked` while a worker is alive or the parts are being joined
 */
export async function discardShards(folder: SharedFolder, among: Backends): Promise<void> {
  const alive = await aliveAttempt(folder, await lastAttempts(folder));
  if (alive !== undefined)
    throw new RowcastError(
      'locked',
      `a worker is scoring shard ${alive.shard}, process ${alive.holder.pid}`,
      {
        severity: 'temporary',
        location: { file: folder.path },
        hint: 'Stop the workers with rowcast cancel, then try again; it takes them a few seconds.',
      },
    );
  for (const { output } of await plannedFiles(folder)) {
    const { saved } = await readStatus(output, among).catch(noStatus);
    if (saved?.checkpoint.fingerprint.options[SHARDS_OPTION] !== undefined)
      await discardUnfinished(output, among);
  }
  await folder.discard(PLAN);
}

/** The files of the plan; none if the plan is damaged, because it can still be discarded. */
async function plannedFiles(folder: SharedFolder): Promise<readonly PlanFile[]> {
  try {
    return (await readPlan(folder)).files;
  } catch (error) {
    if (error instanceof RowcastError && ['no_plan', 'bad_plan'].includes(error.code)) return [];
    throw error;
  }
}

function noStatus(error: unknown): { saved: undefined } {
  if (error instanceof RowcastError && error.code === 'no_output') return { saved: undefined };
  throw error;
}
