import { RowcastError } from '../../base/errors.ts';
import { checkBalance, type RowCounts, unbalanced } from '../../scoring/row-counts.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName, failedName, numbersOf, PLAN, PLANNED, shardName } from './names.ts';
import { plannedShape, planShape, type Shard, type ShardPlan, shardShape } from './plan-shape.ts';
import { readRecord } from './read-record.ts';
import { failureShape, resultShape, type ShardFailure, type ShardResult } from './result-shape.ts';

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
export const publishedShards = (folder: SharedFolder): Promise<number[]> => numbersIn(folder, 'shards');

/** The shards in the names of the files of one of its folders. */
async function numbersIn(folder: SharedFolder, name: string): Promise<number[]> {
  return (await folder.list(name)).flatMap(file => numbersOf(file)?.shard ?? []);
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

/** A sharded run, as its folder has it. */
export interface ShardedRun {
  folder: SharedFolder;
  plan: ShardPlan;
  /** The shards that are published so far, in order. */
  shards: readonly Shard[];
  /** Whether all are published. */
  isPlanned: boolean;
  /** By number of the shard. */
  results: ReadonlyMap<number, ShardResult>;
  /** Shards that were given up and have no result. */
  failures: ReadonlyMap<number, ShardFailure>;
}

/**
 * Reads and checks what a sharded run has come to.
 *
 * @throws RowcastError `no_plan`, `bad_plan`
 */
export async function readRun(folder: SharedFolder): Promise<ShardedRun> {
  const plan = await readPlan(folder);
  // Before the shards: these are all there once it is.
  const planned = await plannedShards(folder);
  const shards = await readShards(folder);
  checkShards(folder, plan, shards, planned);
  const results = new Map<number, ShardResult>();
  const failures = new Map<number, ShardFailure>();
  for (const shard of await numbersIn(folder, 'done')) {
    const result = await readRecord(folder, doneName(shard), resultShape);
    if (result === undefined) continue;
    if (result.plan !== plan.id || result.shard !== shard)
      throw damaged(folder, doneName(shard), 'the result is that of another plan or shard');
    results.set(shard, result);
  }
  for (const shard of await numbersIn(folder, 'failed')) {
    const failure = await readRecord(folder, failedName(shard), failureShape);
    if (failure !== undefined && !results.has(shard)) failures.set(shard, failure);
  }
  return { folder, plan, shards, isPlanned: planned !== undefined, results, failures };
}

/** The shards of an input follow each other without a gap, and those of the inputs in their order. */
function checkShards(
  folder: SharedFolder,
  { files }: ShardPlan,
  shards: readonly Shard[],
  planned: number | undefined,
): void {
  for (const [index, { shard, file, from }] of shards.entries()) {
    const before = shards[index - 1];
    const isFirst = before === undefined || before.is_last;
    const expected = (before?.file ?? -1) + (isFirst ? 1 : 0);
    const follows = isFirst || (from !== null && from.offset === before.to?.offset);
    if (shard !== index || file !== expected || !follows || files[file] === undefined)
      throw damaged(folder, 'shards', `shard ${index} is missing, or does not follow the one before it`);
  }
  const isWhole = shards.length === planned && (shards.at(-1)?.file ?? -1) === files.length - 1;
  if (planned !== undefined && !isWhole)
    throw damaged(folder, 'shards', `${planned} shards were planned, and ${shards.length} are there`);
}

const damaged = ({ path }: SharedFolder, name: string, message: string): RowcastError =>
  new RowcastError('bad_plan', message, {
    location: { file: `${path}/${name}` },
    hint: 'Discard the run with rowcast abort, and plan again.',
  });

/**
 * @throws RowcastError `unbalanced` if the rows of a shard's result do not add up, or are not those that were planned
 */
export function checkShardRows({ shard, from, to }: Shard, rowCounts: RowCounts): void {
  checkBalance(rowCounts);
  if (from === null || to === null || rowCounts.read === to.row - from.row) return;
  throw unbalanced(
    `shard ${shard} was planned with ${to.row - from.row} rows, but ${rowCounts.read} were read`,
  );
}

/** Which shards are to be scored, as far as they are known. */
interface ShardsLeft {
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
  const done = new Set(await numbersIn(folder, 'done'));
  const failed = new Set(await numbersIn(folder, 'failed'));
  // In this order: a planner that ends in between has published all of them.
  const planned = await plannedShards(folder);
  const published = await publishedShards(folder);
  const left = published.filter(shard => !done.has(shard) && !failed.has(shard));
  return { planned, published, done, failed, left, isOver: planned !== undefined && left.length === 0 };
}
