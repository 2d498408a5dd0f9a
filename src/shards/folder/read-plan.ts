import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { numbersOf, PLAN, PLANNED, shardName } from './names.ts';
import { plannedShape, planShape, type Shard, type ShardPlan, shardShape } from './plan-shape.ts';
import { readRecord } from './read-record.ts';

/** @throws RowcastError `no_plan`, `bad_plan` */
export async function readPlan(folder: SharedFolder): Promise<ShardPlan> {
  const plan = await readRecord(folder, PLAN, planShape);
  if (plan !== undefined) return plan;
  throw new RowcastError('no_plan', 'there is no plan in this folder', {
    location: { file: folder.path },
    hint: 'Make one: rowcast plan INPUT --report ID -o OUTPUT --shards DIR. A finished run has none any more.',
  });
}

/** The numbers of the published shards, in order. */
export async function publishedShards(folder: SharedFolder): Promise<number[]> {
  const names = await folder.list('shards');
  return names.flatMap(name => numbersOf(name)?.shard ?? []);
}

/** @throws RowcastError `bad_plan` */
export async function readShard(folder: SharedFolder, shard: number): Promise<Shard | undefined> {
  return readRecord(folder, shardName(shard), shardShape);
}

/** The number of shards; undefined while they are being published. */
export async function plannedShards(folder: SharedFolder): Promise<number | undefined> {
  return (await readRecord(folder, PLANNED, plannedShape))?.shards;
}

/** The published shards, in order. @throws RowcastError `bad_plan` */
export async function readShards(folder: SharedFolder): Promise<Shard[]> {
  const shards: Shard[] = [];
  for (const number of await publishedShards(folder)) {
    const shard = await readShard(folder, number);
    if (shard !== undefined) shards.push(shard);
  }
  return shards;
}
