import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { CANCELLED, PLAN, PLANNED } from '../folder/names.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import { readPlan } from '../folder/read-plan.ts';

/**
 * Writes a plan, or resumes the same one, even if it was cancelled. One that had nothing to score is replaced.
 *
 * @throws RowcastError `other_work` if the folder has another plan
 */
export async function startPlan(folder: SharedFolder, plan: ShardPlan): Promise<void> {
  await folder.prepare();
  const text = JSON.stringify(plan);
  if (await folder.create(PLAN, text)) return;
  const other = await readPlan(folder);
  const isResumed = other.id === plan.id;
  if (!isResumed && other.files.length > 0)
    throw new RowcastError(
      'other_work',
      `an unfinished run of different work is in this folder (${differencesOf(other, plan).join(', ')} differ)`,
      {
        location: { file: folder.path },
        hint: 'Finish it with the command that began it, or discard it: rowcast abort DIR.',
      },
    );
  // Before the plan: the number of its shards is not yet known.
  if (!isResumed) await folder.remove(PLANNED);
  await folder.replace(PLAN, isResumed ? JSON.stringify({ ...plan, trace: other.trace }) : text);
  await folder.remove(CANCELLED);
}

/** The members of two plans that differ. */
const differencesOf = (a: ShardPlan, b: ShardPlan): string[] =>
  Object.entries({
    'rowcast version': [a.version, b.version],
    'the service': [a.service, b.service],
    'the protocol': [a.protocol, b.protocol],
    'the report': [a.report, b.report],
    'the inputs or outputs': [a.files, b.files],
    '--shard-bytes': [a.shard_bytes, b.shard_bytes],
    'the options': [
      [a.options, a.predictionType],
      [b.options, b.predictionType],
    ],
  })
    .filter(([, [before, now]]) => JSON.stringify(before) !== JSON.stringify(now))
    .map(([what]) => what);
