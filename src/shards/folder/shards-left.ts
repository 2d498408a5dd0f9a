import type { SharedFolder } from '../../storage/shared-folder.ts';
import { numbersOf } from './names.ts';
import { plannedShards, publishedShards } from './read-plan.ts';

/** Which shards are to be scored, as far as they are known. */
export interface ShardsLeft {
  /** The number of shards; undefined while they are being published. */
  planned: number | undefined;
  published: readonly number[];
  done: ReadonlySet<number>;
  /** Given up. */
  failed: ReadonlySet<number>;
  /** Published, and neither done nor given up. */
  left: readonly number[];
  /** Whether no shard is left, nor will be published. */
  isOver: boolean;
}

/** @throws RowcastError `bad_plan` */
export async function readLeft(folder: SharedFolder): Promise<ShardsLeft> {
  const done = await numbersIn(folder, 'done');
  const failed = await numbersIn(folder, 'failed');
  // In this order: a planner that ends in between has published all of them.
  const planned = await plannedShards(folder);
  const published = await publishedShards(folder);
  const left = published.filter(shard => !done.has(shard) && !failed.has(shard));
  return { planned, published, done, failed, left, isOver: planned !== undefined && left.length === 0 };
}

async function numbersIn(folder: SharedFolder, name: string): Promise<Set<number>> {
  return new Set((await folder.list(name)).flatMap(each => numbersOf(each)?.shard ?? []));
}
