import { createHash } from 'node:crypto';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import type { QueuedRun } from './shard-queue.ts';

/** A planned run, as a queue knows it. The same plan in another folder is another run. */
export function queuedRun({ path }: Pick<SharedFolder, 'path'>, { id }: Pick<ShardPlan, 'id'>): QueuedRun {
  const key = createHash('sha256').update(`${id}\n${path}`).digest('hex').slice(0, 32);
  return { key, plan: id, folder: path, announced: Date.now() };
}
